var e=`trace_viewer@`,t=.001;function n(e){return new URL(`../../../`,e)}function r(e){return new URL(`../profile/`,e)}function i(e,n){let r=Math.min(e,n),i=Math.max(e,n),a=Math.max((i-r)*.1,t);return{begin:Math.max(0,r-a),end:Math.max(t,i+a)}}function a(e){return e.toFixed(6)}function o(e,t={}){let{run:n,host:r}=e;return new URLSearchParams({run:n,host:r,hosts:r,...t}).toString()}function s(t,r){let i=n(t);return i.search=o(r,{tool:e}),i.hash=`profile`,i.href}function c(t){return`?${new URLSearchParams({tool:e,run:t.run,hosts:t.host})}`}function l(t,n){let s=r(t),c=new URL(`data?${o(n,{tag:e})}`,s),{begin:l,end:u}=i(n.beginMs,n.endMs),d=new URL(`trace_viewer_index.html`,s);return d.search=new URLSearchParams({is_streaming:`true`,is_oss:`true`,trace_data_url:c.pathname+c.search,source_code_service:`false`,view_start:a(l),view_end:a(u)}).toString(),d.href}function u(t,n,s){let{begin:c,end:l}=i(n.beginMs,n.endMs),u=new URL(`index.html`,r(t));return u.search=o(n,{tool:e,view_start:a(c),view_end:a(l),nonce:s}),u.href}function d(e,t){let n=new URL(e),{begin:r,end:o}=i(t.beginMs,t.endMs);return n.searchParams.set(`view_start`,a(r)),n.searchParams.set(`view_end`,a(o)),n.href}function f(e,t){return new URL(`page?${new URLSearchParams({rule:t})}`,e).href}function p(e,t,{parameters:n,bandwidth:r},i){let a=new URLSearchParams({run:t,format:i});return n!==null&&a.set(`parameters`,n),r!==null&&a.set(`bandwidth`,r),new URL(`export?${a}`,e).href}function m(e){try{let t=new URL(e);return[`http:`,`https:`].includes(t.protocol)?t.href:void 0}catch{return}}var h=class extends Error{constructor(e,t){super(e),this.kind=t}};function ee(e,t){return e?.state===`ready`&&e.hosts.includes(t)}function te(e,t){switch(e?.state){case void 0:return``;case`no_plugin`:return`The trace viewer is not there: TensorBoard’s profile plugin is missing (pip install xprof).`;case`no_run`:return`The trace viewer does not list this run.`;case`ready`:return ee(e,t)?``:`The trace viewer does not list this host.`}}var ne=250,re=1e3,ie=[`not_found`,`bad_request`,`unreadable`,`not_judgeable`,`cancelled`,`busy`],ae=/[\u202a-\u202e\u2066-\u2069]|\\u20(?:2[a-e]|6[6-9])/i,oe=200,[se,ce,le]=[32,34,44],ue=new Set([`headline`,`advice`,`title`,`summary`,`reason`,`how`,`sentence`,`label`,`value`,`source`,`written`,`stage`,`note`]);function de(e){let t=t=>{let n=e.charCodeAt(t);return n>se&&n!==ce&&n!==le};for(let n=199;n<e.length;n+=oe){let[e,r]=[n,n];if(t(n)){for(;t(e-1);)e--;for(;t(r+1);)r++;if(r-e+1>=oe)return!0}}return!1}function fe(e){if(!ae.test(e)&&!de(e))return JSON.parse(e);let[t,n]=[new RegExp(ae,`gi`),RegExp(`[^\\s",]{${oe},}`,`g`)];return JSON.parse(e,(e,r)=>{if(typeof r!=`string`||e===`run`)return r;let i=r.replace(t,`�`);return ue.has(e)?i.replace(n,e=>`${e.slice(0,60)}…${e.slice(-40)}`):i})}var pe=class{constructor(e,t=(e,t)=>window.fetch(e,t),n=e=>new Promise(t=>setTimeout(t,e))){this.baseURI=e,this.fetch=t,this.pause=n}async runs(){let{body:e}=await this.ask(`runs`);return e.runs}async report(e,t,n){let r=`report?${me(e)}`,i=e.again?await this.ask(`${r}&again=1`,n):null;return i?.status===200?i.body:await this.awaited(r,t,n)}async cancel(e){await this.ask(`cancel?${new URLSearchParams({run:e})}`,void 0,`POST`)}async timeline(e,t){let{step:n,host:r,begin_ns:i,end_ns:a,width:o}=e,s=me(e,{step:n,host:r,begin_ms:i/1e6,end_ms:a&&a/1e6,width:o});return await this.awaited(`timeline?${s}`,()=>void 0,t)}async compare(e,t,n,r){return await this.awaited(`compare?${new URLSearchParams({base:e,new:t})}`,n,r)}async predict(e,t,n){let r=me(e,{without:t.join(`,`)});return await this.awaited(`predict?${r}`,()=>void 0,n)}async awaited(e,t,n){for(let r=ne;;r=Math.min(r*1.5,re)){let{status:i,body:a}=await this.ask(e,n);if(i!==202)return a;t(a),await this.pause(r),n.throwIfAborted()}}async glossary(){return(await this.ask(`glossary`)).body}async thresholds(){let{body:e}=await this.ask(`rules`),{rules:t,severities:n}=e;return{rules:Object.fromEntries(t.map(({id:e,thresholds:t})=>[e,t])),severities:n}}async traceAccess(e){let t=r(this.baseURI);try{let r=new URL(`data/plugins_listing`,n(this.baseURI));if(!(`profile`in await this.json(r)))return{state:`no_plugin`};if(!(await this.json(new URL(`runs`,t))).includes(e))return{state:`no_run`};let i=new URLSearchParams({run:e,tag:`trace_viewer@`});return{state:`ready`,hosts:(await this.json(new URL(`hosts?${i}`,t))).map(({hostname:e})=>e)}}catch{return{state:`no_plugin`}}}async json(e){let t=await this.fetch(e.href);if(!t.ok)throw Error(`${t.status}`);return t.json()}async ask(e,t,n){let r;try{let i={...t?{signal:t}:{},...n?{method:n,headers:{"X-Tfperf":`1`}}:{}};r=await this.fetch(new URL(e,this.baseURI).href,i)}catch(e){throw t?.aborted?e:new h(`TensorBoard does not answer. Is it still running?`,`unreachable`)}let i=await r.text().then(fe).catch(()=>null);if(r.ok&&i!==null)return{status:r.status,body:i};let{error:a,kind:o}=i??{};throw new h(typeof a==`string`?a:`TensorBoard answered with status ${r.status}.`,ie.includes(String(o))?o:`internal`)}};function me({run:e,parameters:t,bandwidth:n,tried:r=[]},i={}){let a=Object.entries({run:e,parameters:t,bandwidth:n,...i}).filter(([,e])=>e!==null),o=r.map(e=>[`threshold`,e]);return new URLSearchParams([...a.map(([e,t])=>[e,String(t)]),...o])}var he=globalThis,ge=e=>e,_e=he.trustedTypes,ve=_e?_e.createPolicy(`lit-html`,{createHTML:e=>e}):void 0,ye=`$lit$`,g=`lit$${Math.random().toFixed(9).slice(2)}$`,be=`?`+g,xe=`<${be}>`,_=document,Se=()=>_.createComment(``),Ce=e=>e===null||typeof e!=`object`&&typeof e!=`function`,we=Array.isArray,Te=e=>we(e)||typeof e?.[Symbol.iterator]==`function`,Ee=`[ 	
\f\r]`,De=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Oe=/-->/g,ke=/>/g,v=RegExp(`>|${Ee}(?:([^\\s"'>=/]+)(${Ee}*=${Ee}*(?:[^ \t\n\f\r"'\`<>=]|("|')|))|$)`,`g`),Ae=/'/g,je=/"/g,Me=/^(?:script|style|textarea|title)$/i,y=(e=>(t,...n)=>({_$litType$:e,strings:t,values:n}))(1),b=Symbol.for(`lit-noChange`),x=Symbol.for(`lit-nothing`),Ne=new WeakMap,S=_.createTreeWalker(_,129);function Pe(e,t){if(!we(e)||!e.hasOwnProperty(`raw`))throw Error(`invalid template strings array`);return ve===void 0?t:ve.createHTML(t)}var Fe=(e,t)=>{let n=e.length-1,r=[],i,a=t===2?`<svg>`:t===3?`<math>`:``,o=De;for(let t=0;t<n;t++){let n=e[t],s,c,l=-1,u=0;for(;u<n.length&&(o.lastIndex=u,c=o.exec(n),c!==null);)u=o.lastIndex,o===De?c[1]===`!--`?o=Oe:c[1]===void 0?c[2]===void 0?c[3]!==void 0&&(o=v):(Me.test(c[2])&&(i=RegExp(`</`+c[2],`g`)),o=v):o=ke:o===v?c[0]===`>`?(o=i??De,l=-1):c[1]===void 0?l=-2:(l=o.lastIndex-c[2].length,s=c[1],o=c[3]===void 0?v:c[3]===`"`?je:Ae):o===je||o===Ae?o=v:o===Oe||o===ke?o=De:(o=v,i=void 0);let d=o===v&&e[t+1].startsWith(`/>`)?` `:``;a+=o===De?n+xe:l>=0?(r.push(s),n.slice(0,l)+ye+n.slice(l)+g+d):n+g+(l===-2?t:d)}return[Pe(e,a+(e[n]||`<?>`)+(t===2?`</svg>`:t===3?`</math>`:``)),r]},Ie=class e{constructor({strings:t,_$litType$:n},r){let i;this.parts=[];let a=0,o=0,s=t.length-1,c=this.parts,[l,u]=Fe(t,n);if(this.el=e.createElement(l,r),S.currentNode=this.el.content,n===2||n===3){let e=this.el.content.firstChild;e.replaceWith(...e.childNodes)}for(;(i=S.nextNode())!==null&&c.length<s;){if(i.nodeType===1){if(i.hasAttributes())for(let e of i.getAttributeNames())if(e.endsWith(ye)){let t=u[o++],n=i.getAttribute(e).split(g),r=/([.?@])?(.*)/.exec(t);c.push({type:1,index:a,name:r[2],strings:n,ctor:r[1]===`.`?Be:r[1]===`?`?Ve:r[1]===`@`?He:ze}),i.removeAttribute(e)}else e.startsWith(g)&&(c.push({type:6,index:a}),i.removeAttribute(e));if(Me.test(i.tagName)){let e=i.textContent.split(g),t=e.length-1;if(t>0){i.textContent=_e?_e.emptyScript:``;for(let n=0;n<t;n++)i.append(e[n],Se()),S.nextNode(),c.push({type:2,index:++a});i.append(e[t],Se())}}}else if(i.nodeType===8){if(i.data===be)c.push({type:2,index:a});else{let e=-1;for(;(e=i.data.indexOf(g,e+1))!==-1;)c.push({type:7,index:a}),e+=g.length-1}}a++}}static createElement(e,t){let n=_.createElement(`template`);return n.innerHTML=e,n}};function C(e,t,n=e,r){if(t===b)return t;let i=r===void 0?n._$Cl:n._$Co?.[r],a=Ce(t)?void 0:t._$litDirective$;return i?.constructor!==a&&(i?._$AO?.(!1),a===void 0?i=void 0:(i=new a(e),i._$AT(e,n,r)),r===void 0?n._$Cl=i:(n._$Co??=[])[r]=i),i!==void 0&&(t=C(e,i._$AS(e,t.values),i,r)),t}var Le=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:n}=this._$AD,r=(e?.creationScope??_).importNode(t,!0);S.currentNode=r;let i=S.nextNode(),a=0,o=0,s=n[0];for(;s!==void 0;){if(a===s.index){let t;s.type===2?t=new Re(i,i.nextSibling,this,e):s.type===1?t=new s.ctor(i,s.name,s.strings,this,e):s.type===6&&(t=new Ue(i,this,e)),this._$AV.push(t),s=n[++o]}a!==s?.index&&(i=S.nextNode(),a++)}return S.currentNode=_,r}p(e){let t=0;for(let n of this._$AV)n!==void 0&&(n.strings===void 0?n._$AI(e[t]):(n._$AI(e,n,t),t+=n.strings.length-2)),t++}},Re=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,n,r){this.type=2,this._$AH=x,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=n,this.options=r,this._$Cv=r?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=C(this,e,t),Ce(e)?e===x||e==null||e===``?(this._$AH!==x&&this._$AR(),this._$AH=x):e!==this._$AH&&e!==b&&this._(e):e._$litType$===void 0?e.nodeType===void 0?Te(e)?this.k(e):this._(e):this.T(e):this.$(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==x&&Ce(this._$AH)?this._$AA.nextSibling.data=e:this.T(_.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:n}=e,r=typeof n==`number`?this._$AC(e):(n.el===void 0&&(n.el=Ie.createElement(Pe(n.h,n.h[0]),this.options)),n);if(this._$AH?._$AD===r)this._$AH.p(t);else{let e=new Le(r,this),n=e.u(this.options);e.p(t),this.T(n),this._$AH=e}}_$AC(e){let t=Ne.get(e.strings);return t===void 0&&Ne.set(e.strings,t=new Ie(e)),t}k(t){we(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,i=0;for(let a of t)i===n.length?n.push(r=new e(this.O(Se()),this.O(Se()),this,this.options)):r=n[i],r._$AI(a),i++;i<n.length&&(this._$AR(r&&r._$AB.nextSibling,i),n.length=i)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let t=ge(e).nextSibling;ge(e).remove(),e=t}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},ze=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,n,r,i){this.type=1,this._$AH=x,this._$AN=void 0,this.element=e,this.name=t,this._$AM=r,this.options=i,n.length>2||n[0]!==``||n[1]!==``?(this._$AH=Array(n.length-1).fill(new String),this.strings=n):this._$AH=x}_$AI(e,t=this,n,r){let i=this.strings,a=!1;if(i===void 0)e=C(this,e,t,0),a=!Ce(e)||e!==this._$AH&&e!==b,a&&(this._$AH=e);else{let r=e,o,s;for(e=i[0],o=0;o<i.length-1;o++)s=C(this,r[n+o],t,o),s===b&&(s=this._$AH[o]),a||=!Ce(s)||s!==this._$AH[o],s===x?e=x:e!==x&&(e+=(s??``)+i[o+1]),this._$AH[o]=s}a&&!r&&this.j(e)}j(e){e===x?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??``)}},Be=class extends ze{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===x?void 0:e}},Ve=class extends ze{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==x)}},He=class extends ze{constructor(e,t,n,r,i){super(e,t,n,r,i),this.type=5}_$AI(e,t=this){if((e=C(this,e,t,0)??x)===b)return;let n=this._$AH,r=e===x&&n!==x||e.capture!==n.capture||e.once!==n.once||e.passive!==n.passive,i=e!==x&&(n===x||r);r&&this.element.removeEventListener(this.name,this,n),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH==`function`?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},Ue=class{constructor(e,t,n){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=n}get _$AU(){return this._$AM._$AU}_$AI(e){C(this,e)}},We=he.litHtmlPolyfillSupport;We?.(Ie,Re),(he.litHtmlVersions??=[]).push(`3.3.3`);var Ge=(e,t,n)=>{let r=n?.renderBefore??t,i=r._$litPart$;if(i===void 0){let e=n?.renderBefore??null;r._$litPart$=i=new Re(t.insertBefore(Se(),e),e,void 0,n??{})}return i._$AI(e),i},Ke=()=>window.localStorage;function qe(e,t=Ke){try{let n=JSON.parse(t().getItem(e)??`{}`);return typeof n==`object`&&n?n:{}}catch{return{}}}function Je(e,t,n=Ke){try{Object.values(t).every(e=>e===null)?n().removeItem(e):n().setItem(e,JSON.stringify(t))}catch{}}var Ye={parameters:null,bandwidth:null},Xe=[`parameters`,`bandwidth`],Ze={parameters:null,bandwidth:null},Qe=`tfperf.typed.`;function $e(e,t=Ke){let n=qe(Qe+e,t),[r,i]=[tt(n.parameters),tt(n.bandwidth)];return r===null&&i===null?Ye:{parameters:r,bandwidth:i}}function et(e,{parameters:t,bandwidth:n},r=Ke){Je(Qe+e,{parameters:t,bandwidth:n},r)}function tt(e){return typeof e==`string`&&e!==``?e:null}var nt=`diagnostics`,rt={run:null,finding:null,base:null,step:null,only:null,without:null,...Ye},it=`p.${nt}.`;function at(e){try{return decodeURIComponent(e)}catch{return e}}function ot(e){let t=new Map;for(let n of e.replace(/^#/,``).split(`&`)){let e=n.indexOf(`=`);n.startsWith(it)&&e>0&&t.set(n.slice(it.length,e),at(n.slice(e+1)))}return{run:t.get(`run`)||null,finding:t.get(`finding`)||null,step:t.get(`step`)||null,only:t.get(`only`)||null,base:t.get(`base`)||null,without:t.get(`without`)||null,parameters:t.get(`parameters`)||null,bandwidth:t.get(`bandwidth`)||null}}function st(e){let t=e.replace(/^#/,``).split(`&`)[0]??``;return t===``||t===`diagnostics`||t.includes(`=`)}function ct(e,t){let n=e.replace(/^#/,``).split(`&`).filter(e=>e!==``&&e!==`diagnostics`&&!e.startsWith(it)),r=Object.entries(t).filter(([,e])=>e!==null).map(([e,t])=>`${it}${e}=${encodeURIComponent(String(t))}`);return`#${[nt,...n,...r].join(`&`)}`}var lt={terms:[],heads:{}},ut=/(?!)/g;function dt(e){lt=e;let t=lt.terms.map(({pattern:e})=>`(${e})`).join(`|`);ut=RegExp(`(?<![\\w/.:-])(?:${t})(?![\\w/-]|[.:]\\w)`,`g`)}function ft(e){let t=[],n=new Set,r=0;for(let i of e.matchAll(ut)){let a=lt.terms[i.slice(1).findIndex(e=>e!==void 0)]?.meaning;a===void 0||n.has(a)||(n.add(a),i.index>r&&t.push(e.slice(r,i.index)),t.push({word:i[0],meaning:a}),r=i.index+i[0].length)}return r<e.length&&t.push(e.slice(r)),t}function pt(e,t){let[n]=ft(`${e[0]?.toLowerCase()}${e.slice(1)}`),[r]=ft(e);return lt.heads[t]?.[e]??[n,r].map(e=>typeof e==`object`?e.meaning:void 0).find(Boolean)}var mt=new Map([[`idle.stagger`,`idle while other GPUs already run`,`stagger`,`falling`],[`compute`,`compute`,`compute`,`solid`],[`compute.undivided`,`compute`,`compute`,`dots`],[`compute.floor`,`compute at the GPU’s limit`,`compute`,`solid`],[`compute.recoverable`,`compute that could be won`,`recoverable`,`bars`],[`compute.not_judged`,`compute that is not judged`,`unknown`,`rising`],[`communication.transfer`,`transfer between GPUs`,`transfer`,`solid`],[`communication.wait`,`waiting in collectives`,`wait`,`rising`],[`copy.h2d`,`copies to the GPU`,`copy`,`solid`],[`copy.d2h`,`copies to the host`,`copy`,`falling`],[`copy.d2d`,`copies between or inside GPUs`,`copy`,`dots`],[`idle.input`,`idle, waiting for input`,`input`,`rising`],[`idle.launch`,`idle, waiting for kernel launches`,`launch`,`dots`],[`idle.dispatch`,`idle, the host runs the step’s ops`,`launch`,`rising`],[`idle.compile`,`idle, waiting for tracing or compilation`,`compile`,`cross`],[`idle.host_op`,`idle, an op runs on the CPU`,`host-op`,`bars`],[`idle.sync`,`idle, the host waits for the GPU`,`sync`,`falling`],[`idle.between_steps`,`idle between steps`,`between`,`cross`],[`idle.unknown`,`idle, cause not recorded`,`unknown`,`dots`]].map(([e,t,n,r])=>[e,{words:t,colour:`--account-${n}`,pattern:r}])),ht=[...mt.keys()];function w(e){return mt.get(e)??{words:gt(e),colour:`--account-unknown`,pattern:`solid`}}function gt(e){return e.slice(e.indexOf(`.`)+1).replaceAll(`_`,` `)}function T(e){let t=e=>(ht.indexOf(e)+ht.length+1)%(ht.length+1);return e.filter(e=>e.ns>0).sort((e,n)=>t(e.id)-t(n.id))}var E=`\xA0`,_t=[[`s`,1e9,1e9],[`ms`,1e6,1e5],[`µs`,1e3,1e3]],vt=[[`T`,0xe8d4a51000],[`G`,1e9],[`M`,1e6],[`k`,1e3]],yt=new Intl.NumberFormat(`en-US`),bt=new Intl.NumberFormat(`en-US`,{minimumFractionDigits:1,maximumFractionDigits:1});function D(e){let t=Math.abs(e);return t===0?`0`:t>=999.5?yt.format(Math.round(e)):t>=99.95?e.toFixed(0):t>=.95?e.toFixed(1):Number(e.toPrecision(2)).toString()}function xt(e){let t=Number(e.toPrecision(2));return Math.abs(t)>=1&&Math.abs(t)<10?t.toFixed(1):String(t)}function St(e,t){if(e===0)return`0${E}ms`;for(let[n,r,i]of _t)if(Math.abs(e)>=i*.9995)return`${t(e/r)}${E}${n}`;return`${Math.round(e)}${E}ns`}function O(e){return St(e,D)}function k(e){return`${bt.format(e)}${E}ms`}function Ct(e,t){return`${k(e).slice(0,-3)}–${k(t)}`}function A(e){return e>0&&e<.005?`<1${E}%`:e<1-1e-9&&e>=.995?`>99${E}%`:`${Math.round(e*100)}${E}%`}function j(e){for(let[t,n]of vt)if(Math.abs(e)>=n*.9995)return`${D(e/n)}${E}${t===`k`?`kB`:`${t}B`}`;return`${Math.round(e)}${E}B`}function wt(e){let[t,n]=vt.find(([,t])=>e>=t*.9995)??[``,1];return`${D(e/n)}${E}${t}FLOP/s`}function Tt(e){return D(e/0xe8d4a51000)}function Et(e){return`${D(e)}${E}FLOP/byte`}function M(e){return Number.isInteger(e)?yt.format(e):D(e)}function Dt(e){for(let[t,n]of vt)if(e>=n*.9995)return`${D(e/n)}${E}${t===`G`?`billion`:t}`;return M(e)}function N(e,t){if(typeof e==`string`)return e;switch(t){case`ns`:return O(e);case`ratio`:return A(e);case`count`:return M(e);case`bytes`:return j(e);case`GB/s`:return`${D(e)}${E}GB/s`;case`per_step`:return`${M(e)} per step`;case`times`:return`${D(e)}${E}×`;case`text`:return String(e)}}function Ot(e){return e.threshold===null?``:`threshold ${N(e.threshold,e.unit)}`}function kt(e){if(e.once_ns)return`once, ${St(e.once_ns,xt)}`;let t=St(e.ns,xt);return e.bound?`up to ${t}`:`about ${t}`}function P(e,t,n=`${t}s`){return`${M(e)} ${e===1?t:n}`}function F(e){return/^GPU:\d+$/.test(e)?e.replace(`:`,` `):e}function At(e){return e.split(/(\d[\d.,]*[\s\u00a0\u202f]?(?:ns|µs|ms|s|%|GB\/s|GB)(?![\w]))/).map((e,t)=>({text:e,strong:t%2==1})).filter(e=>e.text!==``)}function jt({kinds:e}){return e.map(({name:e,count:t})=>`${t}${E}×${E}${e||`GPU`}`).join(`, `)}var Mt={done:`done`,irrelevant:`not relevant`},Nt={capture:`Capture`,input:`Input`,one_gpu:`One GPU`,precision:`Precision`,several_gpus:`Several GPUs`},Pt=[`critical`,`warning`,`info`],Ft=`tfperf.marks.`;function It(e,t=Ke){let n=Object.entries(qe(Ft+e,t));return Object.fromEntries(n.filter(e=>e[1]===`done`||e[1]===`irrelevant`))}function Lt(e,t,n=Ke){Je(Ft+e,t,n)}function Rt(e,t,n){let{[t]:r,...i}=e;return n===null?i:{...i,[t]:n}}function zt(e,t){let n=Kt(t),r=(t,r,i)=>({id:t,words:r,severity:i,count:e.filter(e=>Ht(e,t)).length,pressed:n.includes(t)}),i=e=>e.filter(({count:e})=>e>0);return[...[i(Pt.map(e=>r(e,e,e))),i(Object.entries(Nt).map(([e,t])=>r(e,t,null)))].flatMap(e=>e.length>1?e:[]),...i([...Bt(e)].filter(e=>n.includes(e)).map(e=>r(e,w(e).words,null)))]}function Bt(e){return new Set(e.flatMap(({saving:e})=>Object.keys(e?.accounts??{})))}function Vt(e,t){let n=Bt(t);return Kt(e).filter(e=>n.has(e))}function Ht({severity:e,group:t,saving:n},r){return e===r||t===r||n?.accounts[r]!==void 0}function Ut(e,t){let n=Kt(e);return(n.includes(t)?n.filter(e=>e!==t):[...n,t]).join(`,`)||null}function Wt(e,t,n){let r=[e.map(({severity:e})=>e),e.map(({group:e})=>e),[...Bt(e)]].map(e=>Kt(n).filter(t=>e.includes(t))),i=e.map((e,n)=>({finding:e,rank:n+1,mark:t[e.id]??null})).filter(({finding:e})=>r.every(t=>t.length===0||t.some(t=>Ht(e,t))));return[...i.filter(({mark:e})=>e===null),...i.filter(({mark:e})=>e!==null)]}function Gt(e,t,n){let r=e.length<t.length?[`${e.length} of ${P(t.length,`finding`)} shown`]:[];for(let e of Object.keys(Mt)){let i=t.filter(({id:t})=>n[t]===e).length;i>0&&r.push(`${i} marked as ${Mt[e]}`)}return r.join(` · `)}function Kt(e){return(e??``).split(`,`).filter(Boolean)}var qt={forward:[`forward pass`,`solid`],loss:[`loss`,`cross`],backward:[`backward pass`,`rising`],optimizer:[`optimizer`,`bars`]};function I(e){let[t,n]=qt[e]??[`not told by its name`,`dots`];return{words:t,pattern:n,colour:e in qt?`--account-compute`:`--account-unknown`}}function Jt(e){return e in qt?I(e).words:``}function Yt({id:e,ns:t,ratio:n}){return`${I(e).words}, ${O(t)}, ${A(n)} of compute`}function Xt({items:e,reason:t}){if(!e)return`Compute cannot be divided into forward and backward pass. ${t}`;let[n,r]=[...e].filter(({id:e})=>e in qt).sort((e,t)=>t.ns-e.ns);if(!n||n.ns===0)return``;let i=r&&r.ns>0?`, the ${I(r.id).words} ${O(r.ns)} (${A(r.ratio)})`:``;return`Of the compute time of a step, the ${I(n.id).words} takes ${O(n.ns)} (${A(n.ratio)})${i}.`}function Zt(e,t=72){if(e.length<=t)return e;let n=Math.ceil(.35*(t-1));return`${e.slice(0,n)}…${e.slice(e.length-(t-1-n))}`}function Qt(e,{phase:t,text:n},r){let i=n.toLowerCase().split(/\s+/).filter(Boolean);return e.filter(e=>{if(t!==``&&e.phase!==t)return!1;let n=r(e).join(`
`).toLowerCase();return i.every(e=>n.includes(e))})}function $t({rows:e,types:t}){let[n]=e;if(!n)return``;let r=t.filter(({type:e})=>e!==``).slice(0,3).map(({type:e,phase:t,ns:n,ratio:r})=>{let i=Jt(t);return`${e}${i?` (${i})`:``} ${O(n)}, ${A(r)}`}),i=`${Zt(n.name||`Work without an op`)} takes the most of a single op: ${O(n.ns)} (${A(n.ratio)}).`;return r.length>0?`Most kernel time by type of op: ${r.join(`; `)}. ${i}`:i}function en({tensor_cores:e,eligible:t}){return e?`used`:t===null?`not used`:t?`not used, could be`:`not for this op`}function tn(e){return e.flatMap(e=>e.flops&&e.bytes&&e.judged_ns?[{op:e,intensity:e.flops/e.bytes,rate:e.flops/e.judged_ns*1e9}]:[]).sort((e,t)=>t.op.ns-e.op.ns)}function nn({flops:e,judged_ns:t}){return e!==null&&t?e/t*1e9:null}function rn({peak_ns:e,judged_ns:t}){return e!==null&&t?e/t:null}function an({floor_ns:e,judged_ns:t}){return e===null||t===null?null:Math.max(0,t-e)}function on(e,{rates:t}){let n=new Set(e.map(({op:e})=>e.format)),r=t.filter(({format:e})=>n.has(e));return[...r.length>0?r:t].sort((e,t)=>t.flops_per_s-e.flops_per_s)}function sn({flops_per_s:e},{bytes_per_s:t}){return e/t}function cn(e,t,n){let r=e=>[Math.min(...e)/2,Math.max(...e)*2];return{x:r([...e.map(e=>e.intensity),...t.map(e=>sn(e,n))]),y:r([...e.map(({rate:e})=>e),...t.map(({flops_per_s:e})=>e)])}}function ln({op:e,intensity:t,rate:n}){let r=rn(e);return[Zt(e.name||e.type||`not named`),`${wt(n)} at ${Et(t)}`,`${r===null?``:`${A(r)} of its bound, `}bound by ${e.bound_by}`,`${O(e.ns)}, ${A(e.ratio)} of kernel time`].join(`; `)}function un(e,{total:t}){let n=e.reduce((e,{op:t})=>e+t.ratio,0);return`Shown: ${P(e.length,`op`)} of ${M(t)}, ${A(Math.min(1,n))} of the kernel time. The work of the others is not known, or they do no floating-point operations.`}function dn(e,t){let n=e.map(e=>`${e.format} ${Et(sn(e,t))}`);return`Ridge points of ${t.name||`this GPU`}: ${n.join(`, `)}.`}function fn(e){return e.roofline!==null&&e.ops!==null||pn(e)!==``}function pn({ledger:e,roofline:t,key_numbers:n}){return!e||t||n.compute_judged_ratio!==null?``:`Compute is not held against the GPU’s limits. ${n.mfu_basis||`The profile does not say what its kernels compute, or the GPU’s peaks are not known.`}`}var mn={ArrowLeft:{by:e=>e.intensity,move:-1},ArrowRight:{by:e=>e.intensity,move:1},ArrowDown:{by:({rate:e})=>e,move:-1},ArrowUp:{by:({rate:e})=>e,move:1}};function hn(e,t,n){let r=mn[n];if(!r)return n===`Home`?0:n===`End`?e.length-1:null;let i=e.map((e,t)=>t).sort((t,n)=>r.by(e[t])-r.by(e[n]));return i[i.indexOf(t)+r.move]??t}function gn(e,{steps:t,by_host:n}){if(e.step===null)return null;let r=e.step+(n.find(({host:t})=>t===e.host)?.step_shift??0),i=t.columns.filter(e=>e.number===r);return(i.filter(({host:t,begin_ms:n})=>t===e.host&&n<=e.begin_ms+1e-6).at(-1)??i[0])?.id??String(r)}function _n(e,t,n){let{columns:r,columns_total:i}=n.steps,a=e=>r.some(t=>t.id===e);return e!==null&&(a(e)||i>r.length)?e:t.map(e=>gn(e,n)).find(a)??vn(n.steps)?.id??null}function vn({columns:e,p50_ns:t}){let n=e.filter(e=>e.judged),r=({step_ns:e})=>Math.abs(e-t);return(n.length>0?n:e).reduce((e,t)=>e===void 0||r(t)<r(e)?t:e,void 0)}var L=String.raw,yn=L`
  :root {
    color-scheme: light;
    --ink: #202124;
    --ink-2: #5f6368;
    --line: #e3e6ea;
    --control-line: #8a9096;
    --ground: #f6f7f9;
    --panel: #fff;
    --page: #fff;
    --accent: #1967d2;
    --on-accent: #fff;
    --critical: #b3261e;
    --critical-ground: #fdecea;
    --warning: #8f4e00;
    --warning-ground: #fff4e0;
    --info: #1967d2;
    --info-ground: #e8f0fe;
    --good: #2f7d5b;
    --account-compute: #2f7d5b;
    --account-recoverable: #a9dcc2;
    --account-transfer: #7b61c9;
    --account-wait: #c3b4ef;
    --account-copy: #2e86c1;
    --account-input: #d9622b;
    --account-launch: #e0a100;
    --account-compile: #8d6e63;
    --account-host-op: #b8a23a;
    --account-sync: #4f9aa8;
    --account-between: #b5533c;
    --account-stagger: #e8a0bf;
    --account-unknown: #c8ccd2;
    --hatch: rgb(32 33 36 / 34%);
  }
  :root[data-theme='dark'] {
    color-scheme: dark;
    --ink: #e8eaed;
    --ink-2: #a8adb3;
    --line: #3c4043;
    --control-line: #80868b;
    --ground: #26282b;
    --panel: #292a2d;
    --page: #202124;
    --accent: #8ab4f8;
    --on-accent: #202124;
    --critical: #f28b82;
    --critical-ground: #3b2321;
    --warning: #fdd663;
    --warning-ground: #37301f;
    --info: #8ab4f8;
    --info-ground: #1f2b3d;
    --good: #81c995;
    --account-compute: #5fb58e;
    --account-recoverable: #3f7259;
    --account-transfer: #a78bfa;
    --account-wait: #5d4e8c;
    --account-copy: #64b5e8;
    --account-input: #ef8a57;
    --account-launch: #f2c94c;
    --account-compile: #a1887f;
    --account-host-op: #cdbb5a;
    --account-sync: #6fb7c4;
    --account-between: #e08a73;
    --account-stagger: #c96f97;
    --account-unknown: #5f6368;
    --hatch: rgb(32 33 36 / 55%);
  }
  html {
    background: var(--page);
    overflow-y: scroll;
  }
  body {
    margin: 0;
  }
`,bn=L`
  :host {
    color: var(--ink);
    font:
      14px/1.5 Roboto,
      system-ui,
      'Segoe UI',
      'Helvetica Neue',
      Arial,
      sans-serif;
  }
  :host,
  * {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd,
  pre {
    margin: 0;
  }
  p {
    max-width: 100ch;
  }
  h2 {
    font-size: 16px;
    font-weight: 600;
    line-height: 1.4;
  }
  h2 small {
    color: var(--ink-2);
    font-size: 13px;
    font-weight: 400;
    margin-left: 8px;
  }
  .note {
    color: var(--ink-2);
    font-size: 13px;
  }
  .name {
    overflow-wrap: anywhere;
    unicode-bidi: isolate;
  }
  a {
    color: var(--accent);
  }
  button,
  select,
  input {
    font: inherit;
    color: inherit;
  }
  button {
    cursor: pointer;
  }
  .button {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 6px;
    color: var(--accent);
    display: inline-block;
    font-size: 13px;
    line-height: 20px;
    padding: 5px 12px;
    text-decoration: none;
  }
  .button:hover {
    background: var(--ground);
  }
  .button.accent {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
  }
  .button.accent:hover {
    filter: brightness(1.08);
  }
  .bare {
    background: none;
    border: 0;
    padding: 0;
    text-align: left;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  code,
  pre {
    font:
      12.5px/1.5 ui-monospace,
      'Roboto Mono',
      'DejaVu Sans Mono',
      Menlo,
      Consolas,
      monospace;
  }
  table {
    border-collapse: collapse;
    font-size: 13px;
    width: 100%;
  }
  th {
    color: var(--ink-2);
    font-weight: 400;
    text-align: left;
  }
  th,
  td {
    border-bottom: 1px solid var(--line);
    padding: 5px 12px 5px 0;
    vertical-align: top;
  }
  th:last-child,
  td:last-child {
    padding-right: 0;
  }
  td.number,
  th.number {
    font-variant-numeric: tabular-nums;
    text-align: right;
    white-space: nowrap;
  }
  summary {
    color: var(--ink-2);
    cursor: pointer;
    font-size: 13px;
    width: fit-content;
  }
  summary:hover {
    color: var(--ink);
  }
  .scroll {
    max-height: 70vh;
    overflow: auto;
  }
  .scroll td.name {
    min-width: 160px;
  }
  .tip {
    background: var(--ink);
    border-radius: 6px;
    color: var(--page);
    font-size: 12.5px;
    font-weight: 400;
    line-height: 18px;
    max-width: min(420px, 80vw);
    padding: 4px 10px;
    pointer-events: none;
    position: absolute;
    transform: translate(-50%, 6px);
    white-space: normal;
    width: max-content;
    z-index: 2;
  }
  .tip.meaning {
    left: 0;
    top: 100%;
    transform: none;
  }
  .term {
    cursor: help;
    text-decoration: underline dotted var(--control-line);
    text-underline-offset: 3px;
  }
  .stacked {
    border-radius: 4px;
    display: block;
    overflow: hidden;
    stroke: var(--page);
  }
  .stacked .on {
    stroke: var(--ink);
    stroke-width: 3;
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    font-size: 13px;
    gap: 4px 20px;
    list-style: none;
    margin-top: 12px;
    padding: 0;
  }
  .legend svg {
    border-radius: 3px;
    flex: none;
  }
  .legend li {
    align-items: center;
    color: var(--ink-2);
    display: flex;
    gap: 7px;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .unseen {
    clip-path: inset(50%);
    height: 1px;
    overflow: hidden;
    position: absolute;
    white-space: nowrap;
    width: 1px;
  }
`,R=e=>pt(e,`per step`)??``;function xn(e,t,n=``){return{term:e,value:t,meaning:R(e),note:n}}function z(e){return e===null?`not known`:O(e)}function Sn(e){let t=[xn(`guide estimate`,z(e.guide_ns)),xn(`ring bound`,z(e.ring_bound_ns))];if(e.transfer_ns!==null&&t.push(xn(`measured transfer`,O(e.transfer_ns))),e.wait_ns!==null){let n=e.wait_ns>0?Cn(e):``;t.push(xn(`waiting`,O(e.wait_ns),n&&`, mostly for ${n}`))}return t}function Cn({devices:e,hosts_count:t}){let n=e.reduce((e,{caused_wait_ns:t})=>e+t,0),r=e.find(({caused_wait_ns:e})=>e>n/2);return r?Fn(r,t>1):``}function wn(e){return[[`exposed`,e.exposed_ns,O],[`hidden`,e.hidden_ns,O],[`bus bandwidth`,e.busbw_gbps,e=>N(e,`GB/s`)],[`achievable`,e.achievable_ns,O]].flatMap(([e,t,n])=>t===null?[]:[xn(e,n(t))])}function Tn(e){let t=(e,t,n)=>({term:e,value:t,meaning:n,note:``});return[t(`Parameters`,e.parameters===null?`not known`:M(e.parameters),On(e)),t(`Bandwidth of one GPU`,e.bandwidth_gbps===null?`not known`:N(e.bandwidth_gbps,`GB/s`),e.bandwidth_source),t(`Bytes per step`,e.bytes_per_step===null?`not known`:j(e.bytes_per_step),e.bytes_source),t(`Guide estimate`,z(e.guide_ns),R(`guide estimate`)),t(`Ring bound`,z(e.ring_bound_ns),R(`ring bound`)),t(`Achievable`,z(e.achievable_ns),e.achievable_source||R(`achievable`)),...e.measured_ns===null?[]:[t(`Measured transfer`,z(e.transfer_ns),R(`measured transfer`)),t(`Measured waiting`,z(e.wait_ns),R(`waiting`)),t(`Measured, both`,z(e.measured_ns),`Transfer and waiting together. Per step.`),t(`Exposed`,z(e.exposed_ns),R(`exposed`)),t(`Hidden`,z(e.hidden_ns),R(`hidden`)),t(`Bus bandwidth`,e.busbw_gbps===null?`not known`:N(e.busbw_gbps,`GB/s`),R(`bus bandwidth`))]]}function En(e){return e.difference||e.measured_ns!==null?e.difference:e.guide_ns===null?`No collective was recorded in this profile. With the number of parameters and the bandwidth, estimates say what AllReduce should take.`:`No collective was recorded in this profile; the estimates say what AllReduce should take.`}var Dn={given:`as typed`,recorded:`recorded by the training`,estimated:`estimated from the profile`,unknown:`not known: type it to get the estimates`};function On({parameters_source:e,parameters_basis:t}){return t===``?Dn[e]:e===`estimated`?`${Dn[e]}: ${t}`:t}function kn(e){let t=e.parameters===null?``:`${M(e.parameters)}, `,n=e.parameters_source===`given`?`. Empty the field to go back.`:``;return`${t}${On(e)}${n}`}function An({bandwidth_gbps:e,bandwidth_source:t}){return e===null?`${t||`not known`}: type it to get the estimates`:`${N(e,`GB/s`)}, ${t}`}function jn(e){return[[`guide estimate`,e.guide_ns,`6 4`],[`ring bound`,e.ring_bound_ns,`none`],[`achievable`,e.achievable_ns,`2 3`]].flatMap(([e,t,n])=>t===null?[]:[{words:e,ns:t,dashes:n}])}function Mn(e){let t=e.steps.map(({transfer_ns:e,wait_ns:t})=>e+t),n=[Math.min(...t),Math.max(...t)].map(O),r=jn(e).map(({words:e,ns:t})=>`${e} ${O(t)}`);return[`AllReduce of ${M(e.steps.length)} steps: transfer and waiting together take ${n.join(` to `)}`,...r].join(`; `)}function Nn({step:e,transfer_ns:t,wait_ns:n,exposed_ns:r}){return`Step ${e}: transfer ${O(t)}, waiting ${O(n)}, exposed `+O(r)}function Pn(e,t){let n=e[t-1]?.up_to_bytes??null,r=e[t]?.up_to_bytes??null;return r===null?n===null?`largest`:`more than ${j(n)}`:`up to ${j(r)}`}function Fn({host:e,device:t},n){return n?`${e} ${F(t)}`:F(t)}var In={all_reduce:`AllReduce`,reduce_scatter:`ReduceScatter`,all_gather:`AllGather`,send_recv:`SendRecv`,broadcast:`Broadcast`,reduce:`Reduce`};function Ln(e){return In[e]??e}function Rn({last:e}){if(!e)return`not known`;let t=e.lastIndexOf(` `)+1;return`${e.slice(0,t)}${F(e.slice(t))}`}function zn(e){let t=e.size_bytes===null?``:` of ${j(e.size_bytes)}`;return{host:e.host,begin_ms:e.begin_ms,end_ms:e.end_ms,label:`${Ln(e.kind)}${t}, ${O(e.transfer_ns)} of transfer`,device:null,stream:null,step:e.step}}function B(e){let t=e/5,n=10**Math.floor(Math.log10(t)),r=([1,2,5,10].find(e=>e*n>=t)??10)*n;return Array.from({length:Math.floor(e/r)+1},(e,t)=>t*r)}function Bn(e,t,n=9){let r=Math.floor(Math.log10(e)),i=Math.ceil(Math.log10(t)),a=Math.max(1,Math.ceil((i-r-1)/n)),o=i-r<=3?[1,2,5]:[1];return Array.from({length:i-r+1},(e,t)=>r+t).filter(e=>e%a===0).flatMap(e=>o.map(t=>t*10**e)).filter(n=>n>=e&&n<=t)}function Vn(e,t,n){return Math.log(e/t)/Math.log(n/t)}function Hn(e,t,n){let r=e.map((e,t)=>t).sort((t,n)=>(e[t]??0)-(e[n]??0)),i=[...e],a=-1/0;for(let e of r)i[e]=Math.max(i[e]??0,a),a=(i[e]??0)+t;let o=n;for(let e of r.reverse())i[e]=Math.min(i[e]??0,o),o=(i[e]??0)-t;return i}var Un=`http://www.w3.org/2000/svg`;function V(e,t={},...n){let r=document.createElementNS(Un,e);for(let[e,n]of Object.entries(t))r.setAttribute(e,String(n));return r.append(...n),r}var Wn={rising:`M-2 2L2 -2M0 8L8 0M6 10L10 6`,falling:`M-2 6L2 10M0 0L8 8M6 -2L10 2`,cross:`M0 0L8 8M8 0L0 8`,bars:`M2 0V8M6 0V8`,dots:`M1.5 2H3.5M5.5 6H7.5`},Gn=0,Kn=class{constructor(){this.defs=V(`defs`),this.prefix=`pattern-${++Gn}`,this.made=new Set}fill(e,t){return V(`rect`,{...t,fill:e.pattern===`solid`?`var(${e.colour})`:`url(#${this.tile(e.colour,e.pattern)})`})}tile(e,t){let n=`${this.prefix}${e}-${t}`;return this.made.has(n)||(this.made.add(n),this.defs.append(V(`pattern`,{id:n,width:8,height:8,patternUnits:`userSpaceOnUse`},V(`rect`,{x:-1,y:-1,width:10,height:10,fill:`var(${e})`,stroke:`none`}),V(`path`,{d:Wn[t],fill:`none`,stroke:`var(--hatch)`,"stroke-width":t===`dots`?2:1.2})))),n}};function qn(e){let t=new Kn;return V(`svg`,{width:12,height:12,"aria-hidden":`true`},t.defs,t.fill(e,{width:12,height:12}))}function H(e,...t){let n=document.createElement(`li`),r=document.createElement(`span`);return r.append(...t),n.append(qn(e),r),n}var Jn=10,Yn=140,Xn=15,Zn=6,Qn=16;function $n(e,t,n){let r=Math.max(1,...e.map(({transfer_ns:e,wait_ns:t})=>e+t),...t.map(({ns:e})=>e)),i=e=>Jn+Yn*(1-e/r),a=100/Math.max(e.length,Zn),o=e=>`${e.toFixed(4)}%`,s=new Kn,c=i(0),l=e.map((e,t)=>{let n=o((t+.15)*a),r=o(.7*a),l=e.transfer_ns+e.wait_ns,u=i(Math.min(e.exposed_ns,l));return V(`g`,{},V(`rect`,{x:o(t*a),y:Jn,width:o(a),height:Yn,class:`slot`}),s.fill(w(`communication.transfer`),{x:n,y:i(e.transfer_ns),width:r,height:c-i(e.transfer_ns)}),s.fill(w(`communication.wait`),{x:n,y:i(l),width:r,height:i(e.transfer_ns)-i(l)}),V(`line`,{x1:n,x2:o((t+.85)*a),y1:u,y2:u,class:`exposed`}))}),u=e.length<=Qn?e.keys():[0,e.length-1];return{drawing:V(`svg`,{width:`100%`,height:172,role:`img`,"aria-label":n},s.defs,...B(r).map(e=>V(`g`,{},V(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`grid`}),V(`text`,{x:0,dx:-8,y:i(e)+4,class:`tick end`},e===0?`0`:O(e)))),...l,V(`text`,{x:0,dx:-8,y:c+16,class:`tick end`},`step`),...[...u].map(t=>V(`text`,{x:o((t+.5)*a),y:c+16,class:`tick`},String(e[t]?.step))),...er(t,i,c)),columns:l}}function er(e,t,n){let r=Hn(e.map(({ns:e})=>t(e)),Xn,n);return e.flatMap(({words:e,ns:n,dashes:i},a)=>{let[o,s]=[t(n),r[a]??0];return[V(`line`,{x1:0,x2:`100%`,y1:o,y2:o,class:`estimate`,"stroke-dasharray":i}),V(`svg`,{x:`100%`,overflow:`visible`},V(`path`,{d:`M0 ${o}H3L11 ${s}H14`,class:`leader`}),V(`text`,{x:18,y:s+4,class:`estimate-label`},`${e} ${O(n)}`))]})}var tr=e=>e===null?`not recorded`:j(e),nr=e=>e===null?`not known`:N(e,`GB/s`);function U(e,t){return{head:e,cell:t,kind:`number`}}function rr(e){return{lines:[{head:`What`,cell:({term:e})=>e},U(`Value`,({value:e})=>e),{head:`How it is known`,cell:({meaning:e})=>e,kind:`note name`}],steps:[{head:`Step`,cell:({step:e})=>String(e)},U(`Transfer`,({transfer_ns:e})=>O(e)),U(`Waiting`,({wait_ns:e})=>O(e)),U(`Both`,({transfer_ns:e,wait_ns:t})=>O(e+t)),U(`Exposed`,({exposed_ns:e})=>O(e))],sizes:[{head:`Size`,cell:(t,n)=>Pn(e.sizes,n)},U(`Calls per step`,({calls_per_step:e})=>M(e)),U(`Bytes per step`,({bytes_per_step:e})=>tr(e)),U(`Transfer per step`,({transfer_ns:e})=>O(e)),U(`Bus bandwidth`,({busbw_gbps:e})=>nr(e)),U(`Achievable`,({achievable_gbps:e})=>nr(e)),{head:`Source of the achievable`,cell:({achievable_source:e})=>e,kind:`note name`}],devices:[{head:`GPU`,cell:t=>Fn(t,e.hosts_count>1),kind:`name`},U(`Transfer per step`,({transfer_ns:e})=>O(e)),U(`Waits per step`,({wait_ns:e})=>O(e)),U(`Came last in`,({last_ratio:e})=>`${A(e)} of calls`),U(`Others wait for it`,({caused_wait_ns:e})=>O(e))]}}function ir(e){return[{head:`Call`,cell:({kind:e})=>Ln(e)},U(`Step`,({step:e})=>String(e)),U(`Size`,({size_bytes:e})=>tr(e)),U(`GPUs`,({participants:e,hosts_count:t})=>`${M(e)}${t>1?` on ${P(t,`host`)}`:``}`),U(`Transfer`,({transfer_ns:e})=>O(e)),U(`Waiting of all`,({wait_ns:e})=>O(e)),U(`Exposed`,({exposed_ns:e})=>O(e)),{head:`Came last`,cell:Rn,kind:`name`},{head:`In the trace at`,kind:`number`,cell:t=>{let n=k(t.begin_ms),r=e(t);if(!r)return n;let i=document.createElement(`button`);return i.className=`bare open`,i.textContent=n,i.setAttribute(`aria-label`,`Show ${Ln(t.kind)} of step ${t.step} at ${n} in the trace`),i.addEventListener(`click`,r),i}}]}window.JSCompiler_renameProperty=function(e,t){return e};var ar=0;function or(){}or.prototype.__mixinApplications,or.prototype.__mixinSet;var sr=function(e){let t=e.__mixinApplications;t||(t=new WeakMap,e.__mixinApplications=t);let n=ar++;function r(r){let i=r.__mixinSet;if(i&&i[n])return r;let a=t,o=a.get(r);if(!o){o=e(r),a.set(r,o);let t=Object.create(o.__mixinSet||i||null);t[n]=!0,o.__mixinSet=t}return o}return r},cr=0;function lr(){cr++}var ur=[];function dr(e){ur.push(e)}var fr=0,pr=0,W=[],mr=0,hr=!1,gr=document.createTextNode(``);new window.MutationObserver(_r).observe(gr,{characterData:!0});function _r(){hr=!1;let e=W.length;for(let t=0;t<e;t++){let e=W[t];if(e)try{e()}catch(e){setTimeout(()=>{throw e})}}W.splice(0,e),pr+=e}var vr={run(e){return hr||(hr=!0,gr.textContent=mr++),W.push(e),fr++},cancel(e){let t=e-pr;if(t>=0){if(!W[t])throw Error(`invalid async handle: `+e);W[t]=null}}},yr=window.ShadyDOM&&window.ShadyDOM.noPatch&&window.ShadyDOM.wrap?window.ShadyDOM.wrap:window.ShadyDOM?e=>ShadyDOM.patch(e):e=>e,br=vr,xr=sr(e=>{class t extends e{static createProperties(e){let t=this.prototype;for(let n in e)n in t||t._createPropertyAccessor(n)}static attributeNameForProperty(e){return e.toLowerCase()}static typeForProperty(e){}_createPropertyAccessor(e,t){this._addPropertyToAttributeMap(e),this.hasOwnProperty(JSCompiler_renameProperty(`__dataHasAccessor`,this))||(this.__dataHasAccessor=Object.assign({},this.__dataHasAccessor)),this.__dataHasAccessor[e]||(this.__dataHasAccessor[e]=!0,this._definePropertyAccessor(e,t))}_addPropertyToAttributeMap(e){this.hasOwnProperty(JSCompiler_renameProperty(`__dataAttributes`,this))||(this.__dataAttributes=Object.assign({},this.__dataAttributes));let t=this.__dataAttributes[e];return t||(t=this.constructor.attributeNameForProperty(e),this.__dataAttributes[t]=e),t}_definePropertyAccessor(e,t){Object.defineProperty(this,e,{get(){return this.__data[e]},set:t?function(){}:function(t){this._setPendingProperty(e,t,!0)&&this._invalidateProperties()}})}constructor(){super(),this.__dataEnabled=!1,this.__dataReady=!1,this.__dataInvalid=!1,this.__data={},this.__dataPending=null,this.__dataOld=null,this.__dataInstanceProps=null,this.__dataCounter=0,this.__serializing=!1,this._initializeProperties()}ready(){this.__dataReady=!0,this._flushProperties()}_initializeProperties(){for(let e in this.__dataHasAccessor)this.hasOwnProperty(e)&&(this.__dataInstanceProps=this.__dataInstanceProps||{},this.__dataInstanceProps[e]=this[e],delete this[e])}_initializeInstanceProperties(e){Object.assign(this,e)}_setProperty(e,t){this._setPendingProperty(e,t)&&this._invalidateProperties()}_getProperty(e){return this.__data[e]}_setPendingProperty(e,t,n){let r=this.__data[e],i=this._shouldPropertyChange(e,t,r);return i&&(this.__dataPending||(this.__dataPending={},this.__dataOld={}),this.__dataOld&&!(e in this.__dataOld)&&(this.__dataOld[e]=r),this.__data[e]=t,this.__dataPending[e]=t),i}_isPropertyPending(e){return!!(this.__dataPending&&this.__dataPending.hasOwnProperty(e))}_invalidateProperties(){!this.__dataInvalid&&this.__dataReady&&(this.__dataInvalid=!0,br.run(()=>{this.__dataInvalid&&(this.__dataInvalid=!1,this._flushProperties())}))}_enableProperties(){this.__dataEnabled||(this.__dataEnabled=!0,this.__dataInstanceProps&&=(this._initializeInstanceProperties(this.__dataInstanceProps),null),this.ready())}_flushProperties(){this.__dataCounter++;let e=this.__data,t=this.__dataPending,n=this.__dataOld;this._shouldPropertiesChange(e,t,n)&&(this.__dataPending=null,this.__dataOld=null,this._propertiesChanged(e,t,n)),this.__dataCounter--}_shouldPropertiesChange(e,t,n){return!!t}_propertiesChanged(e,t,n){}_shouldPropertyChange(e,t,n){return n!==t&&(n===n||t===t)}attributeChangedCallback(e,t,n,r){t!==n&&this._attributeToProperty(e,n),super.attributeChangedCallback&&super.attributeChangedCallback(e,t,n,r)}_attributeToProperty(e,t,n){if(!this.__serializing){let r=this.__dataAttributes,i=r&&r[e]||e;this[i]=this._deserializeValue(t,n||this.constructor.typeForProperty(i))}}_propertyToAttribute(e,t,n){this.__serializing=!0,n=arguments.length<3?this[e]:n,this._valueToNodeAttribute(this,n,t||this.constructor.attributeNameForProperty(e)),this.__serializing=!1}_valueToNodeAttribute(e,t,n){let r=this._serializeValue(t);(n===`class`||n===`name`||n===`slot`)&&(e=yr(e)),r===void 0?e.removeAttribute(n):e.setAttribute(n,r===``&&window.trustedTypes?window.trustedTypes.emptyScript:r)}_serializeValue(e){switch(typeof e){case`boolean`:return e?``:void 0;default:return e?.toString()}}_deserializeValue(e,t){switch(t){case Boolean:return e!==null;case Number:return Number(e);default:return e}}}return t});function Sr(e){let t={};for(let n in e){let r=e[n];t[n]=typeof r==`function`?{type:r}:r}return t}var Cr=sr(e=>{let t=xr(e);function n(e){let t=Object.getPrototypeOf(e);return t.prototype instanceof i?t:null}function r(e){if(!e.hasOwnProperty(JSCompiler_renameProperty(`__ownProperties`,e))){let t=null;if(e.hasOwnProperty(JSCompiler_renameProperty(`properties`,e))){let n=e.properties;n&&(t=Sr(n))}e.__ownProperties=t}return e.__ownProperties}class i extends t{static get observedAttributes(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__observedAttributes`,this))){dr(this.prototype);let e=this._properties;this.__observedAttributes=e?Object.keys(e).map(e=>this.prototype._addPropertyToAttributeMap(e)):[]}return this.__observedAttributes}static finalize(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__finalized`,this))){let e=n(this);e&&e.finalize(),this.__finalized=!0,this._finalizeClass()}}static _finalizeClass(){let e=r(this);e&&this.createProperties(e)}static get _properties(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__properties`,this))){let e=n(this);this.__properties=Object.assign({},e&&e._properties,r(this))}return this.__properties}static typeForProperty(e){let t=this._properties[e];return t&&t.type}_initializeProperties(){lr(),this.constructor.finalize(),super._initializeProperties()}connectedCallback(){super.connectedCallback&&super.connectedCallback(),this._enableProperties()}disconnectedCallback(){super.disconnectedCallback&&super.disconnectedCallback()}}return i}),G=class extends Cr(HTMLElement){static{this.styles=``}constructor(){super(),this.drawnWith={};let{styles:e}=this.constructor;this.attachShadow({mode:`open`}).adoptedStyleSheets=[Tr(bn),Tr(e)]}drawNow(){this._flushProperties()}_shouldPropertiesChange(e,t){return!this.shadowRoot.hasChildNodes()||this.undrawn(e,t).length>0}_propertiesChanged(e,t,n){let r=Object.fromEntries(this.undrawn(e,t).map(e=>[e,this.drawnWith[e]]));this.changed?.(r),this.drawnWith={...e},Ge(this.template(),this.shadowRoot,{host:this}),this.drawn?.(r)}undrawn(e,t){return Object.keys(t??{}).filter(t=>e[t]!==this.drawnWith[t])}child(e){return this.shadowRoot.getElementById(e)}},wr=new Map;function Tr(e){let t=wr.get(e);return t||(wr.set(e,t=new CSSStyleSheet),t.replaceSync(e)),t}function Er(e,t,n={}){let r={...n};return K(e,t,r),r.answer}function K(e,t,n=null){e.dispatchEvent(new CustomEvent(t,{bubbles:!0,composed:!0,detail:n}))}var Dr=class extends G{constructor(...e){super(...e),this.places=[],this.access=null,this.shown=!1,this.inTimeline=!1}static{this.styles=L`
    :host {
      display: block;
    }
    .ways {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    .ways[data-unknown] {
      visibility: hidden;
    }
    ul {
      list-style: none;
      margin-top: 8px;
      padding: 0;
    }
    .place {
      border-left: 3px solid transparent;
      border-radius: 3px;
      padding: 3px 8px;
      width: 100%;
    }
    .place:hover {
      background: var(--ground);
    }
    .place[aria-pressed='true'] {
      border-left-color: var(--accent);
      background: var(--ground);
    }
    .place b {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 2;
      display: -webkit-box;
      font-weight: 400;
      overflow: hidden;
    }
    .place b::first-letter {
      text-transform: uppercase;
    }
    .place span {
      color: var(--ink-2);
      display: block;
      font-size: 12.5px;
    }
    .only {
      margin-top: 8px;
    }
  `}static{this.properties={run:String,places:Array,access:Object,shown:Boolean,inTimeline:Boolean,place:Object}}changed(e){`places`in e&&(this.place=this.places[0]??this.place)}template(){let{places:e,access:t,place:n}=this,r=n?te(t,n.host):``;return y`
      ${n&&!r?this.ways(n,t!==null):x}
      <p class="note" ?hidden=${!r}>${r}</p>
      ${e.length===1?e.map(e=>y`<p class="note name only">${Or(e)}${e.label?`: ${e.label}`:``}</p>`):y` <ul aria-label="Places, worst first">
              ${e.map(e=>y` <li>
                    <button class="bare place name" aria-pressed=${e===n} @click=${()=>this.choose(e)}>
                      <b title=${e.label}>${e.label}</b><span>${Or(e)}</span>
                    </button>
                  </li>`)}
            </ul>`}
    `}ways(e,t){let n={run:this.run,host:e.host,beginMs:e.begin_ms,endMs:e.end_ms};return y`
      <div class="ways" ?data-unknown=${!t}>
        <button class="button accent" @click=${()=>this.announce(!this.shown)} aria-expanded=${this.shown}>
          ${this.shown?`Close the trace`:`Show in trace`}
        </button>
        <a class="button" href=${s(document.baseURI,n)} target="_parent" @click=${e=>{e.ctrlKey||e.metaKey||e.shiftKey||e.button!==0||K(this,`open-profile-tab`,{target:n,click:e})}}
          >Open in Profile tab</a
        >
        <a class="button" href=${l(document.baseURI,n)} target="_blank" rel="noopener">New window</a>
        <button
          class="button"
          @click=${()=>K(this,`show-in-timeline`,{place:e})}
          ?hidden=${this.inTimeline||e.step===null}
        >
          Show in timeline
        </button>
      </div>
    `}choose(e){this.place=e,this.shown&&this.announce(!0)}announce(e){K(this,`show-trace`,{place:e?this.place:null})}};function Or({step:e,device:t,stream:n,host:r,begin_ms:i,end_ms:a}){return[e===null?``:`step ${e}`,t===null?``:F(t),n,r,Ct(i,a)].filter(Boolean).join(` · `)}customElements.define(`tfperf-places`,Dr);var q=class{constructor(e){this.chart=e,this.tip=document.createElement(`div`),this.part=null,this.tip.className=`tip`,this.tip.setAttribute(`role`,`status`),this.tip.hidden=!0,e.append(this.tip)}explain(e,t,n){let r=t.flatMap((e,t)=>e?[{part:e,words:n[t]??``}]:[]),i=0,a=e=>{i=(e+r.length)%r.length;let t=r[i];t&&this.show(t.part,t.words)},o=()=>this.hide();e.setAttribute(`tabindex`,`0`),e.addEventListener(`pointerover`,({target:e})=>{let t=r.findIndex(({part:t})=>t.contains(e));t>=0&&a(t)}),e.addEventListener(`pointerleave`,o),e.addEventListener(`focus`,()=>a(i)),e.addEventListener(`blur`,o),e.addEventListener(`keydown`,e=>{if(e.key===`Escape`){o();return}let t={ArrowLeft:-1,ArrowRight:1}[e.key];t!==void 0&&(e.preventDefault(),a(i+t))})}show(e,t){this.hide(),this.part=e,e.classList.add(`on`),this.tip.textContent=t,this.tip.hidden=!1;let n=this.chart.getBoundingClientRect(),r=e.getBoundingClientRect(),i=this.tip.offsetWidth/2,a=r.left+r.width/2-n.left;this.tip.style.left=`${Math.max(Math.min(a,n.width-i),i)}px`,this.tip.style.top=`${r.bottom-n.top}px`}hide(){this.tip.hidden=!0,this.part?.classList.remove(`on`)}},kr=8;function Ar(e,t,n){let r=(t,n)=>t.split(` `).forEach(t=>e.addEventListener(t,n)),i=()=>{t.hidden=!0,t.textContent=``};t.className=`tip meaning`,t.setAttribute(`role`,`tooltip`),i(),r(`pointerenter focus click`,()=>{t.textContent=n(),t.hidden=!1,t.style.left=`0`;let e=t.getBoundingClientRect().right+kr-document.documentElement.clientWidth;e>0&&(t.style.left=`${-e}px`)}),r(`pointerleave blur`,i),r(`keydown`,e=>{e.key===`Escape`&&i()})}var jr=class extends G{constructor(...e){super(...e),this.word=``,this.meaning=``}static{this.styles=L`
    :host {
      color: inherit;
      display: inline-block;
      font: inherit;
      position: relative;
    }
    :host([first]) #word::first-letter {
      text-transform: var(--first-letter, none);
    }
  `}static{this.properties={word:String,meaning:String}}template(){return y`<button id="word" class="bare term" aria-description=${this.told()}>${this.word}</button
      ><span id="meaning"></span>`}told(){return this.meaning||(pt(this.word,`page`)??``)}ready(){super.ready(),Ar(this.child(`word`),this.child(`meaning`),()=>this.told())}};customElements.define(`tfperf-term`,jr);function Mr(e,t){let n=pt(e,t);return n?Object.assign(document.createElement(`tfperf-term`),{word:e,meaning:n}):e}var Nr=class extends G{constructor(...e){super(...e),this.heading=``,this.columns=[],this.items=[],this.note=``,this.panel=``,this.open=!1,this.order=null}static{this.styles=L`
    :host {
      display: block;
    }
    .note {
      margin-top: 4px;
    }
    .open {
      color: var(--accent);
      white-space: nowrap;
    }
    th.number {
      white-space: normal;
    }
    th button {
      color: inherit;
      text-align: inherit;
    }
    th .term {
      cursor: pointer;
    }
    th button::after {
      content: attr(data-arrow);
    }
    /* What a head means is drawn over its neighbours. */
    th:focus-within,
    th:hover {
      z-index: 1;
    }
    thead th {
      background: var(--table-ground, var(--page));
      position: sticky;
      top: 0;
    }
    td:not(.name) {
      white-space: nowrap;
    }
    .elided {
      white-space: nowrap;
    }
    .elided:focus {
      white-space: normal;
    }
  `}static{this.properties={heading:String,columns:Array,items:Array,panel:String,note:String,open:Boolean,order:Object}}template(){return y`
      <details ?hidden=${this.items.length===0} .open=${this.open} @toggle=${this.onToggle}>
        <summary>${this.heading}</summary>
        <div id="table" class="scroll" tabindex="0" role="group" aria-label=${this.heading}></div>
        <p class="note name" ?hidden=${!this.note}>${this.note}</p>
      </details>
    `}onToggle(e){this.open=e.target.open}drawn(e){let{columns:t,items:n,open:r,order:i}=this;[`columns`,`items`,`open`,`order`].some(t=>t in e)&&this.child(`table`).replaceChildren(...r?[Fr(t,this.panel,Pr(n,i),i,e=>{this.order={column:e,usual:this.order?.column!==e||!this.order.usual},this.drawNow(),this.shadowRoot.querySelectorAll(`th button`)[t.filter(({value:e})=>e).indexOf(e)]?.focus()})]:[])}};function Pr(e,t){let n=t?.column.value;if(!n)return e;let r=t.usual?1:-1;return[...e].sort((e,t)=>{let[i,a]=[n(e),n(t)];return i===null||a===null||i===``||a===``?Number(i===null||i===``)-Number(a===null||a===``):r*(typeof i==`number`&&typeof a==`number`?a-i:String(i).localeCompare(String(a),`en`,{numeric:!0}))})}function Fr(e,t,n,r,i){let a=(t,n)=>{let r=document.createElement(`tr`);return r.append(...e.map(e=>{let r=document.createElement(t);return r.className=e.kind??``,r.append(n(e,r)),r})),r},o=(e,n)=>{if(!e.value)return Mr(e.head,t);let a=document.createElement(`button`);if(a.className=`bare`,a.textContent=e.head,a.addEventListener(`click`,()=>i(e)),r?.column===e){let t=r.usual===(e.kind===`number`);n.setAttribute(`aria-sort`,t?`descending`:`ascending`),a.dataset.arrow=t?` ▾`:` ▴`}let o=pt(e.head,t);if(!o)return a;let s=document.createDocumentFragment(),c=document.createElement(`span`);return s.append(a,c),a.classList.add(`term`),a.setAttribute(`aria-description`,o),Ar(a,c,()=>o),s},s=document.createElement(`table`);return s.createTHead().append(a(`th`,o)),s.createTBody().append(...n.map((e,t)=>a(`td`,({cell:n})=>n(e,t)))),s}customElements.define(`tfperf-table`,Nr);var Ir=class extends G{constructor(...e){super(...e),this.run=``,this.place=null}static{this.styles=L`
    :host {
      display: block;
      margin-top: 16px;
    }
    iframe {
      background: #fff;
      border: 1px solid var(--line);
      border-radius: 6px;
      display: block;
      height: clamp(480px, 82vh, 900px);
      margin-top: 6px;
      width: 100%;
    }
  `}static{this.properties={run:String,place:Object}}template(){return y`
      <span class="note name">${this.whereabouts()}</span>
      <div id="viewer"></div>
    `}drawn(){this.child(`viewer`).replaceChildren(...this.place?[this.frame(this.place)]:[])}whereabouts(){let{place:e}=this;return e?`Trace viewer: ${e.host}, ${Ct(e.begin_ms,e.end_ms)}`:``}frame({host:e,begin_ms:t,end_ms:n}){let r=document.createElement(`iframe`);return r.title=this.whereabouts(),r.src=l(document.baseURI,{run:this.run,host:e,beginMs:t,endMs:n}),requestAnimationFrame(()=>r.scrollIntoView({block:`nearest`})),r}};customElements.define(`tfperf-trace`,Ir);var Lr=[`NVLink 2`,`NVLink 3`,`NVLink 4`,`NVLink 5`,`PCIe 3 x16`,`PCIe 4 x16`,`PCIe 5 x16`],Rr=[],zr=class extends G{constructor(...e){super(...e),this.access=null,this.typed=Ye,this.refused=Ze,this.recomputing=!1,this.chosen=Rr,this.traced=null,this.settled={parameters:``,bandwidth:``}}static{this.styles=L`
    :host {
      display: block;
    }
    .panel {
      --table-ground: var(--panel);
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 8px;
      padding: 14px 18px;
    }
    .columns {
      display: grid;
      gap: 16px 32px;
      grid-template-columns: minmax(200px, 250px) minmax(0, 1fr);
    }
    label {
      display: block;
      font-size: 13px;
    }
    .field + .field {
      margin-top: 14px;
    }
    input {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      display: block;
      margin-top: 3px;
      padding: 5px 8px;
      width: 100%;
    }
    input::placeholder {
      color: var(--ink-2);
      opacity: 1;
    }
    input[aria-invalid='true'] {
      border-color: var(--critical);
    }
    .field p {
      margin-top: 3px;
    }
    .field p::first-letter {
      text-transform: uppercase;
    }
    .refused {
      color: var(--critical);
      font-size: 13px;
    }
    .numbers {
      clip-path: inset(0 -100vw -100vh 0);
      column-gap: 20px;
      display: flex;
      flex-wrap: wrap;
      list-style: none;
      padding: 0;
    }
    .numbers li {
      position: relative;
    }
    /* A dot before the first number of a line falls outside, where it is clipped. */
    .numbers li::before {
      color: var(--ink-2);
      content: '·';
      left: -12px;
      position: absolute;
    }
    .numbers b {
      white-space: nowrap;
    }
    .numbers.more {
      color: var(--ink-2);
      font-size: 13px;
      margin-top: 2px;
    }
    .numbers.more b {
      font-weight: 400;
    }
    .difference {
      margin-top: 6px;
    }
    .busy {
      color: var(--ink-2);
      float: right;
      font-size: 13px;
    }
    #chart {
      margin-top: 12px;
      padding: 0 168px 0 60px;
      position: relative;
    }
    #chart svg {
      display: block;
      overflow: visible;
    }
    .slot {
      fill: transparent;
    }
    g.on .slot {
      fill: var(--ground);
    }
    .exposed {
      stroke: var(--ink);
      stroke-width: 2;
    }
    .grid {
      stroke: var(--line);
    }
    .tick {
      fill: var(--ink-2);
      font-size: 11.5px;
      text-anchor: middle;
    }
    .tick.end {
      text-anchor: end;
    }
    .estimate {
      stroke: var(--ink);
      stroke-width: 1.2;
    }
    .leader {
      fill: none;
      stroke: var(--ink-2);
    }
    .estimate-label {
      fill: var(--ink);
      font-size: 12px;
    }
    .legend {
      margin-top: 4px;
      padding-left: 60px;
    }
    .legend i {
      border-top: 2px solid var(--ink);
      width: 12px;
    }
    .tables {
      margin-top: 12px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
    tfperf-places {
      margin-top: 14px;
    }
    @media (max-width: 799px) {
      .columns {
        grid-template-columns: minmax(0, 1fr);
      }
    }
  `}static{this.properties={allreduce:Object,run:String,access:Object,typed:Object,refused:Object,recomputing:Boolean,chosen:Array,traced:Object}}changed(e){let{allreduce:t,access:n}=this;`allreduce`in e&&(this.chosen=Rr,this.traced=null,this.lines=Tn(t),this.tables=rr(t)),`access`in e&&(this.calls=ir(e=>ee(n,e.host)?()=>this.showCall(e):null))}template(){let{allreduce:e,run:t,chosen:n,traced:r}=this,i=e.hosts_count>1?` on ${P(e.hosts_count,`host`)}`:``,a=e.measured_ns===null?``:`, ${P(e.calls_per_step,`call`)} per step`,o=wn(e),s=En(e),c=e.calls.length,l=(e,t,n,r,i=x)=>{let a=this.refused[e];return y`
        <div class="field">
          <label for=${e}>${t}</label>
          <input
            id=${e}
            type="text"
            autocomplete="off"
            spellcheck="false"
            list=${i===x?x:`links`}
            placeholder=${n}
            aria-invalid=${a!==null}
            aria-describedby="${e}-refused ${e}-note"
            @change=${this.onTyped}
          />
          ${i}
          <p id="${e}-refused" class="refused" role="alert" ?hidden=${!a}>${a?.message}</p>
          <p id="${e}-note" class="note name">${r}</p>
        </div>
      `},u=({term:e,meaning:t,value:n},r=x)=>y`<li><tfperf-term .word=${e} .meaning=${t}></tfperf-term> <b>${n}</b>${r}</li>`;return y`
      <h2>AllReduce <small>${P(e.participants,`GPU`)}${i}${a}</small></h2>
      <div class="panel">
        <div class="columns">
          <div>
            ${l(`parameters`,`Parameters of the model`,e.parameters?Dt(e.parameters):`e.g. 25.6M`,kn(e))}
            ${l(`bandwidth`,`Bandwidth of one GPU`,e.bandwidth_gbps?N(e.bandwidth_gbps,`GB/s`):`e.g. 600 GB/s or NVLink 3`,An(e),y` <datalist id="links">${Lr.map(e=>y`<option .value=${e}></option>`)}</datalist> `)}
          </div>
          <div>
            <span class="busy" role="status">${this.recomputing?`Recomputing …`:``}</span>
            <ul class="numbers" aria-label="Per step">
              ${Sn(e).map(e=>u(e,y`<span class="name">${e.note}</span>`))}
            </ul>
            <ul class="numbers more" ?hidden=${o.length===0} aria-label="Further numbers">
              ${o.map(e=>u(e))}
            </ul>
            <p class="difference name" ?hidden=${!s}>${s}</p>
            <div ?hidden=${e.steps.length===0}>
              <div id="chart"></div>
              <ul id="legend" class="legend" aria-label="Columns, one a step"></ul>
            </div>
          </div>
        </div>
        <div class="tables">
          <tfperf-table
            panel="allreduce"
            heading="Each number, and how it is known"
            .columns=${this.tables.lines}
            .items=${this.lines}
          ></tfperf-table>
          <tfperf-table
            panel="allreduce"
            heading="AllReduce of each step"
            .columns=${this.tables.steps}
            .items=${e.steps}
          ></tfperf-table>
          <tfperf-table
            panel="allreduce"
            heading="By size of the call"
            .columns=${this.tables.sizes}
            .items=${e.sizes}
          ></tfperf-table>
          <tfperf-table
            panel="allreduce"
            heading="By GPU"
            .columns=${this.tables.devices}
            .items=${e.devices}
            note="“Others wait for it”: per step, averaged over the other GPUs."
          ></tfperf-table>
          <tfperf-table
            panel="allreduce"
            heading="The longest calls"
            .columns=${this.calls}
            .items=${e.calls}
            .note=${e.calls_total>c?`The ${M(c)} longest of ${M(e.calls_total)} calls.`:``}
          ></tfperf-table>
        </div>
        ${n.length>0?this.places(n):x}
        ${r?y`<tfperf-trace .run=${t} .place=${r}></tfperf-trace>`:x}
      </div>
    `}places(e){return y`<tfperf-places
      .run=${this.run}
      .places=${e}
      .access=${this.access}
      .shown=${this.traced!==null}
      @show-trace=${this.onTrace}
    ></tfperf-places>`}drawn(e){let{allreduce:t}=this;if((`typed`in e||`refused`in e||`run`in e)&&this.fill(),!(`allreduce`in e)||t.steps.length===0)return;let{drawing:n,columns:r}=$n(t.steps,jn(t),Mn(t)),i=this.child(`chart`);i.replaceChildren(n),new q(i).explain(n,r,t.steps.map(Nn));let a=document.createElement(`li`);a.append(document.createElement(`i`),`exposed: not hidden by compute`),this.child(`legend`).replaceChildren(H(w(`communication.transfer`),`transfer`),H(w(`communication.wait`),`waiting`),a)}fill(){for(let e of Xe){let t=this.child(e);t.value===this.settled[e]&&(t.value=this.settled[e]=this.refused[e]?.text??this.typed[e]??``)}}onTyped(e){let{id:t,value:n}=e.target,r=t;this.settled[r]=n,K(this,`assume`,{field:r,text:n.trim()||null})}onTrace(e){this.traced=e.detail.place}showCall(e){let t=zn(e);this.chosen=[t],this.traced=t}};customElements.define(`tfperf-allreduce`,zr);var Br=[{id:`html`,words:`HTML`,note:`one file that needs nothing else`},{id:`markdown`,words:`Markdown`,note:`for a pull request or a wiki`},{id:`json`,words:`JSON`,note:`all numbers`}],Vr=class extends G{constructor(...e){super(...e),this.run=null,this.typed=null,this.shown=!1}static{this.styles=L`
    :host {
      display: inline-block;
      position: relative;
      white-space: nowrap;
    }
    #open {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 6px;
      font-size: 13px;
      padding: 5px 10px;
    }
    #open:hover {
      background: var(--ground);
    }
    #menu {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 8px;
      box-shadow: 0 4px 16px rgb(0 0 0 / 20%);
      margin-top: 4px;
      padding: 4px 0;
      position: absolute;
      right: 0;
      top: 100%;
      width: max-content;
      z-index: 3;
    }
    #menu a {
      color: var(--ink);
      display: block;
      padding: 6px 14px;
      text-decoration: none;
    }
    #menu a:hover,
    #menu a:focus {
      background: var(--ground);
    }
    #menu span {
      color: var(--ink-2);
      font-size: 13px;
      margin-left: 8px;
    }
  `}static{this.properties={run:String,typed:Object,shown:Boolean}}template(){let{run:e,typed:t,shown:n}=this,r=n=>e&&t?p(document.baseURI,e,t,n):x;return y`
      <button
        id="open"
        class="bare"
        aria-haspopup="menu"
        aria-expanded=${n}
        aria-controls="menu"
        @click=${this.onOpen}
        @keydown=${this.onButtonKey}
      >
        Export <span aria-hidden="true">▾</span>
      </button>
      <div id="menu" role="menu" aria-label="Export" ?hidden=${!n} @keydown=${this.onKey} @click=${this.onHide}>
        ${Br.map(({id:e,words:t,note:n})=>y`<a role="menuitem" tabindex="-1" href=${r(e)} download>${t}<span>${n}</span></a>`)}
      </div>
    `}ready(){super.ready(),this.addEventListener(`focusout`,({relatedTarget:e})=>{e instanceof Node&&this.contains(e)||(this.shown=!1)})}onOpen(){this.shown=!this.shown,this.shown&&this.focusItem(0)}onHide(){this.shown=!1,this.shadowRoot.querySelector(`button`)?.focus()}onButtonKey(e){(e.key===`ArrowDown`||e.key===`ArrowUp`)&&(e.preventDefault(),this.shown=!0,this.focusItem(e.key===`ArrowDown`?0:-1))}onKey(e){let t=this.items(),n=t.indexOf(this.shadowRoot.activeElement);if(e.key===`Escape`||e.key===`Tab`){this.onHide();return}e.key===` `&&t[n]?.click();let r={ArrowDown:n+1,ArrowUp:n-1,Home:0,End:-1," ":null}[e.key];r!==void 0&&(e.preventDefault(),r!==null&&this.focusItem(r))}focusItem(e){this.drawNow();let t=this.items();t[(e+t.length)%t.length]?.focus()}items(){return[...this.shadowRoot.querySelectorAll(`#menu a`)]}};customElements.define(`tfperf-export`,Vr);var Hr=[`run`,`base`],Ur=class extends G{constructor(...e){super(...e),this.runs=[],this.run=null,this.base=null,this.report=null,this.typed=Ye,this.listed={run:[],base:[]}}static{this.styles=L`
    :host {
      align-items: center;
      border-bottom: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 8px 16px;
      padding: 16px 0 14px;
    }
    label {
      align-items: center;
      color: var(--ink-2);
      display: flex;
      font-size: 13px;
      gap: 12px;
      min-width: 0;
    }
    /* Without a width of its own the list would be as wide as the longest name, all of which are measured for that. */
    select {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 6px;
      color: var(--ink);
      min-width: 0;
      padding: 6px 8px;
      text-overflow: ellipsis;
      width: min(280px, 70vw);
    }
    .end {
      align-items: center;
      display: flex;
      flex: 1 1 340px;
      gap: 16px;
      justify-content: end;
      min-width: 0;
    }
    p {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 2;
      display: -webkit-box;
      min-width: 0;
      overflow: hidden;
      overflow-wrap: anywhere;
      text-align: right;
    }
  `}static{this.properties={runs:Array,run:String,base:String,report:Object,typed:Object}}template(){let{run:e,base:t,report:n}=this,r=this.names(t),i=n?Wr(n):``;return y`
      <label
        >Run
        <select id="run" title=${e??``} @change=${this.onChange}>
          ${this.options(`run`,this.names(e))}
        </select>
      </label>
      <label ?hidden=${r.every(t=>t===e)}
        >Compare with
        <select id="base" title=${t??``} @change=${this.onBase}>
          <option value="">—</option>
          ${this.options(`base`,r)}
        </select>
      </label>
      <div class="end">
        <p class="note" title=${i}>${i}</p>
        <tfperf-export .run=${e} .typed=${this.typed} ?hidden=${!n}></tfperf-export>
      </div>
    `}drawn(e){for(let t of Hr){let n=this.list(t),r=this[t]??``;(t in e||`runs`in e)&&n.value!==r&&(n.value=r)}for(let e of this.list(`base`).options)e.hidden=e.disabled=e.value===this.run}list(e){return this.child(e)}names(e){let t=this.runs.map(({name:e})=>e);return e===null||t.includes(e)?t:[e,...t]}options(e,t){let n=this.listed[e];return t.length===n.length&&t.every((e,t)=>e===n[t])?b:(this.listed[e]=t,t.map(e=>y`<option .value=${e}>${e}</option>`))}onChange(e){K(this,`run-change`,{run:e.target.value})}onBase(e){K(this,`base-change`,{base:e.target.value||null})}};function Wr({steps:e,gpus:t,hosts:n,timing:r}){let i=r.reduce((e,{ns:t})=>e+t,0);return[P(e.count,`step`),t.total>0?jt(t):`no GPU`,n.length===1?`host ${n[0]}`:P(n.length,`host`),i>0?`analyzed in ${O(i)}`:``].filter(Boolean).join(` · `)}customElements.define(`tfperf-bar`,Ur);var Gr=5e-4,Kr=.003;function qr(e,t,n,r=20,i=new Kn){let a=e=>`${(e/t*100).toFixed(4)}%`,o=0,s=e.map(({look:e,ns:n})=>{let s=a(o);if(o+=n,n<=t*Gr)return null;let c=i.fill(e,{x:s,y:-.5,width:a(n),height:r+1});return n<=t*Kr&&c.setAttribute(`stroke`,`none`),c});return{drawing:V(`svg`,{class:`stacked`,width:`100%`,height:r,role:`img`,"aria-label":n},...i.defs.parentNode?[]:[i.defs],...s.filter(e=>e!==null)),segments:s}}var Jr={appeared:`New`,vanished:`Gone`,unchecked:`No longer checked`,changed:`Changed`,same:`As before`};function Yr({scaling:e,accounts:t,basis:n}){return e?{title:`Where the rest of the GPUs’ time goes`,first:`Ideal`,second:`Real`,change:`Lost`,accounts:e.accounts}:{title:n===`examples`?`Before and now, for the examples of one step before`:`A step before and now`,first:`Before`,second:`Now`,change:`Change`,accounts:t}}function Xr({first:e,second:t,accounts:n}){return[[e,`base_ns`],[t,`new_ns`]].map(([e,t])=>{let r=n.reduce((e,n)=>e+n[t],0);return{name:e,total:r,parts:T(n.map(e=>({id:e.id,ns:e[t]}))).map(({id:t,ns:n})=>({look:w(t),ns:n,words:`${e}: ${w(t).words}, ${O(n)}, ${A(n/r)}`}))}})}function Zr(e){let t=T(e.map(e=>({...e,ns:e.base_ns+e.new_ns}))),n=t=>e.reduce((e,n)=>e+n[t],0);return[...t.map(e=>({...e,words:w(e.id).words})),{id:``,words:`together`,base_ns:n(`base_ns`),new_ns:n(`new_ns`),delta_ns:n(`delta_ns`)}]}function Qr(e){return e===0?O(0):`${e>0?`+`:`−`}${O(Math.abs(e))}`}function $r(e,t){return e===null?`not recorded`:N(e,t)}function ei({step_ns:e,steps_count:t,gpus_count:n,hosts_count:r,devices:i}){let a=n>0?`${M(n)} × ${i.join(`, `)||`GPU`}`:`no GPU`;return[e===null?``:`${O(e)} per step`,`${M(t)} steps`,a,r>1?`${M(r)} hosts`:``].filter(Boolean).join(` · `)}var ti={better:`▼`,worse:`▲`,same:`=`,cannot_compare:`?`},ni=[{head:`Since then`,cell:({status:e})=>Jr[e]},{head:`Finding`,cell:({title:e})=>e,kind:`name`},{head:`Cost before`,cell:e=>ci(e.base_ns,e.base_severity),kind:`number`},{head:`Cost now`,cell:e=>ci(e.new_ns,e.new_severity),kind:`number`},{head:`Where it is not found, the check says`,cell:({note:e})=>e,kind:`note name`}],ri=[{head:`Number`,cell:({label:e})=>e,kind:`name`},{head:`Before`,cell:e=>$r(e.base,e.unit),kind:`number`},{head:`Now`,cell:e=>$r(e.new,e.unit),kind:`number`}],ii=[{head:`Setting`,cell:({label:e})=>e,kind:`name`},{head:`Before`,cell:e=>e.base,kind:`name`},{head:`Now`,cell:e=>e.new,kind:`name`}],ai=class extends G{constructor(...e){super(...e),this.comparison=null,this.problem=``,this.waiting=``,this.loading=new AbortController}static{this.styles=L`
    :host {
      border: 1px solid var(--line);
      border-radius: 10px;
      display: block;
      margin-top: 24px;
      padding: 16px 20px 18px;
    }
    header {
      align-items: baseline;
      display: flex;
      gap: 16px;
      justify-content: space-between;
    }
    header h2 {
      min-width: 0;
    }
    .verdict {
      display: flex;
      font-size: 18px;
      gap: 10px;
      line-height: 1.4;
      margin-top: 8px;
    }
    .verdict b {
      flex: none;
      text-align: center;
      width: 20px;
    }
    .better b {
      color: var(--good);
    }
    .worse b {
      color: var(--critical);
    }
    .cannot_compare b {
      color: var(--warning);
    }
    .words {
      list-style: none;
      margin: 6px 0 0;
      padding: 0 0 0 30px;
    }
    .words li {
      overflow-wrap: anywhere;
    }
    dl {
      display: grid;
      font-size: 13px;
      gap: 2px 12px;
      grid-template-columns: max-content 1fr;
      margin-top: 10px;
      padding-left: 30px;
    }
    dt {
      color: var(--ink-2);
    }
    h3 {
      font-size: 14px;
      font-weight: 600;
      margin: 18px 0 0;
    }
    #chart {
      position: relative;
    }
    .row {
      align-items: center;
      display: grid;
      font-size: 13px;
      gap: 12px;
      grid-template-columns: 56px 1fr 72px;
      margin-top: 7px;
    }
    .row span:last-child {
      font-variant-numeric: tabular-nums;
      text-align: right;
    }
    tfperf-table {
      margin-top: 10px;
    }
  `}static{this.properties={backend:Object,base:String,run:String,comparison:Object,problem:String,waiting:String}}disconnectedCallback(){super.disconnectedCallback(),this.loading.abort()}changed(e){[`backend`,`base`,`run`].some(t=>t in e)&&this.load()}template(){let{comparison:e,problem:t,waiting:n}=this,r=e&&Yr(e),{reasons:i=[],scaling:a,prediction:o,caveats:s=[],findings:c=[],numbers:l=[],settings:u=[]}=e??{},d=[...i,a?.sentence,o?.sentence].filter(Boolean),f=r?.accounts.length?Zr(r.accounts):[];return y`
      <header>
        <h2>Compared with <span class="name">${this.base}</span></h2>
        <button class="button" @click=${this.onClose}>Stop comparing</button>
      </header>
      <div id="said" role="status" aria-live="polite">
        <p class="note" ?hidden=${!n}>${n}</p>
        <p class="verdict name" ?hidden=${!t}><b aria-hidden="true">?</b><span>${t}</span></p>
        <div ?hidden=${!e}>
          <p class="verdict name ${e?.verdict}">
            <b aria-hidden="true">${e&&ti[e.verdict]}</b><span>${e?.sentence}</span>
          </p>
          <ul class="words">
            ${d.map(e=>y`<li>${e}</li>`)}
          </ul>
          <ul class="words note" aria-label="To keep in mind">
            ${s.map(e=>y`<li>Note: ${e}</li>`)}
          </ul>
        </div>
      </div>
      <div ?hidden=${!e}>
        <dl>
          <dt>Before</dt>
          <dd class="name">${e&&ei(e.base)}</dd>
          <dt>Now</dt>
          <dd class="name">${e&&ei(e.new)}</dd>
        </dl>
        <div ?hidden=${f.length===0}>
          <h3>${r?.title}</h3>
          <div id="chart"><div id="rows"></div></div>
          <ul id="legend" class="legend" aria-label="Colors"></ul>
          <tfperf-table
            id="accounts"
            heading="Each account"
            .columns=${r?oi(r):[]}
            .items=${f}
            open
          ></tfperf-table>
        </div>
        <tfperf-table
          id="findings"
          heading="Findings that appeared, vanished or changed"
          .columns=${ni}
          .items=${c.filter(({status:e})=>e!==`same`)}
          open
        ></tfperf-table>
        <tfperf-table
          id="alike"
          heading="Findings as before"
          .columns=${ni}
          .items=${c.filter(({status:e})=>e===`same`)}
        ></tfperf-table>
        <tfperf-table id="numbers" heading="Key numbers" .columns=${ri} .items=${l}></tfperf-table>
        <tfperf-table
          id="settings"
          heading="What the trainings recorded differently"
          .columns=${ii}
          .items=${u}
        ></tfperf-table>
      </div>
    `}drawn(e){this.comparison&&`comparison`in e&&this.draw(Yr(this.comparison))}async load(){let{backend:e,base:t,run:n}=this;this.loading.abort(),this.comparison=null,this.problem=``,this.waiting=`Comparing …`,this.loading=new AbortController;let{signal:r}=this.loading,i=({share:e})=>{r.aborted||(this.waiting=`Analyzing both runs, ${A(e)} done …`)};try{let a=await e.compare(t,n,i,r);r.aborted||(this.comparison=a)}catch(e){r.aborted||(this.problem=e instanceof Error?e.message:String(e))}r.aborted||(this.waiting=``)}onClose(){K(this,`base-change`,{base:null})}draw(e){this.tip??=new q(this.child(`chart`)),this.tip.hide();let t=Xr(e),n=Math.max(...t.map(({total:e})=>e),1);this.child(`rows`).replaceChildren(...t.map(({name:e,total:t,parts:r})=>{let{drawing:i,segments:a}=qr(r,n,`${e}, ${O(t)}: ${r.map(({words:e})=>e).join(`; `)}`);this.tip?.explain(i,a,r.map(({words:e})=>e));let o=document.createElement(`div`);return o.className=`row`,o.append(si(e),i,si(O(t))),o}));let r=Zr(e.accounts).filter(e=>e.id&&Math.max(e.base_ns,e.new_ns)>=n/200);this.child(`legend`).replaceChildren(...r.map(({id:e,words:t})=>H(w(e),t)))}};function oi(e){return[{head:`Account`,cell:({words:e})=>e,kind:`name`},{head:e.first,cell:({base_ns:e})=>O(e),kind:`number`,value:({base_ns:e})=>e},{head:e.second,cell:({new_ns:e})=>O(e),kind:`number`,value:({new_ns:e})=>e},{head:e.change,cell:({delta_ns:e})=>Qr(e),kind:`number`,value:({delta_ns:e})=>e}]}function si(e){let t=document.createElement(`span`);return t.textContent=e,t}function ci(e,t){return t===null?``:e===null?t:`${O(e)}, ${t}`}customElements.define(`tfperf-compare`,ai);var li={matrix:`matrix products, convolutions, attention`,memory:`memory-bound`,small:`small kernels (latency-bound)`,other:`other`},ui=[[`compute.floor`,`floor_ns`],[`compute.recoverable`,`recoverable_ns`],[`compute.not_judged`,`not_judged_ns`]],di=`compute.undivided`;function fi(e){let t=(e,t)=>({...e,kind:t,ns:e.floor_ns+e.recoverable_ns+e.not_judged_ns}),n=e.map(e=>t(e,li[e.kind])).filter(({ns:e})=>e>0),r=e=>n.reduce((t,n)=>t+n[e],0);return{rows:n,sum:t({floor_ns:r(`floor_ns`),recoverable_ns:r(`recoverable_ns`),not_judged_ns:r(`not_judged_ns`)},`compute`)}}function pi({accounts:e,compute_parts:t}){if(t.length===0)return e;let{sum:n}=fi(t);return e.flatMap(e=>e.id===`compute`?ui.map(([t,r])=>({id:t,ns:n[r],ratio:e.ratio*n[r]/Math.max(1,n.ns)})):[e])}function mi(e,{compute_parts:t}){return e.map(e=>t.length>0&&e.id===`compute`?{...e,id:di}:e)}function hi(e){return{host:``,device:`average`,step_ns:e.step_ns,accounts:pi(e)}}function gi(e){return e===di||ui.some(([t])=>t===e)?`compute`:e}function _i({floor_ns:e,recoverable_ns:t,not_judged_ns:n}){return[e,t,n].map((e,t)=>({look:w(ui[t]?.[0]??``),ns:e})).filter(({ns:e})=>e>0)}function vi({compute_causes:e}){let t=e.reduce((e,{ns:t})=>e+t,0),n=e.filter(({ns:e})=>e>=t/100).map(({title:e,ns:t})=>`${e} ${O(t)}`);return n.length>0?`Why it was not: ${n.join(`; `)}.`:``}function yi({compute_parts:e,compute_floor_ns:t,compute_peak_ns:n}){let{sum:r}=fi(e),i=t??r.floor_ns,a=n===null?``:`; at the data sheet’s peak, ${O(n)}`,o=r.not_judged_ns>0?` Not judged: ${O(r.not_judged_ns)}.`:``;return`A step computes for ${O(r.ns)}. At the rates that good libraries reach, its work needs ${O(i)}${a}. Up to ${O(r.recoverable_ns)} could be won.${o}`}function bi(e){return ft(e).map(e=>typeof e==`string`?e:Object.assign(document.createElement(`tfperf-term`),e))}var xi=class extends HTMLElement{set text(e){let t=bi(e??``),[n]=t;n instanceof Element&&n.setAttribute(`first`,``),this.replaceChildren(...t)}};customElements.define(`tfperf-text`,xi);var Si=[`Kind`,`Time`,`Needed`,`Could be won`,`Not judged`,`In parts`],Ci=class extends G{static{this.styles=L`
    :host {
      display: block;
    }
    table {
      margin-top: 10px;
      max-width: 1000px;
    }
    th.number {
      white-space: normal;
    }
    td:last-child,
    th:last-child {
      min-width: 90px;
      width: 36%;
    }
    td svg {
      margin-top: 4px;
    }
    tr.sum td {
      border-bottom: 0;
      font-weight: 600;
    }
  `}static{this.properties={ledger:Object}}template(){let{ledger:e}=this,{rows:t,sum:n}=fi(e.compute_parts);return y`
      <h2>Compute against the GPU’s limits <small>average of GPUs, per step</small></h2>
      <p><tfperf-text .text=${yi(e)}></tfperf-text></p>
      <p><tfperf-text .text=${vi(e)}></tfperf-text></p>
      <p><a href="page?rule=compute" target="_blank" rel="noopener">How compute is judged</a></p>
      <div class="scroll" tabindex="0" role="group" aria-label="Compute by kind of kernels">
        <table>
          <thead>
            <tr>
              ${Si.map((e,t)=>y`<th class=${t>0&&t<5?`number`:``}>${Mr(e,`compute`)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${t.map(e=>wi(e,``,n.ns))} ${wi(n,`sum`,n.ns)}
          </tbody>
        </table>
      </div>
    `}};function wi(e,t,n){let r=_i(e),i=r.map(({look:e,ns:t})=>`${e.words}, ${O(t)}`).join(`; `);return y`
    <tr class=${t}>
      <td><tfperf-text .text=${e.kind}></tfperf-text></td>
      ${[e.ns,e.floor_ns,e.recoverable_ns,e.not_judged_ns].map(e=>y`<td class="number">${O(e)}</td>`)}
      <td>${qr(r,Math.max(1,n),`${e.kind}: ${i}`,14).drawing}</td>
    </tr>
  `}customElements.define(`tfperf-compute`,Ci);var Ti={not_found:`This run is not there`,bad_request:`This cannot be asked`,unreadable:`This profile cannot be read`,not_judgeable:`This profile cannot be judged`,cancelled:`The analysis was stopped`,busy:`Too many analyses at once`,internal:`The analysis failed`,unreachable:`No answer`},Ei={not_found:`Choose another run above, or look again if it has just been written.`,bad_request:`Try again without what was typed in or held by the address.`,unreadable:`If it is still being written, try again when that is done. Other runs stay usable.`,not_judgeable:`Record it again with GPU and host tracing on, or choose another run above.`,cancelled:`Nothing was kept of it.`,busy:`Wait until some of them are done or canceled, then try again. Reports that are done can be opened meanwhile.`,internal:`Other runs stay usable. The log of TensorBoard holds the details; please report them.`,unreachable:`Start TensorBoard again, then try once more.`},Di=class extends G{static{this.styles=L`
    :host {
      display: block;
      max-width: 820px;
      padding: 32px 0;
    }
    section {
      background: var(--critical-ground);
      border-radius: 10px;
      padding: 16px 20px;
    }
    h1 {
      color: var(--critical);
      font-size: 18px;
      font-weight: 600;
    }
    p {
      margin-top: 6px;
    }
    .button {
      margin-top: 16px;
    }
  `}static{this.properties={error:Object}}template(){let{kind:e,message:t}=this.error;return y`
      <section role="alert">
        <h1>${Ti[e]}</h1>
        <p class="name">${t}</p>
        <p>${Ei[e]}</p>
      </section>
      <button class="button" @click=${()=>K(this,`retry`)}>
        ${e===`cancelled`?`Analyse`:`Try again`}
      </button>
    `}};customElements.define(`tfperf-failure`,Di);var Oi=`severity`,ki={passed:`would pass`,not_applicable:`would not apply`,missing_data:`could not be checked`,errors:`would fail`},Ai=[[`s`,1e9],[`ms`,1e6],[`µs`,1e3],[`ns`,1]],ji=[[`GB`,1e9],[`MB`,1e6],[`kB`,1e3],[`B`,1]];function Mi(e,t){let n=e=>String(Number(e.toPrecision(6)));if(t===`ratio`)return`${n(e*100)} %`;let r=(t===`ns`?Ai:t===`bytes`?ji:[]).find(([,t])=>e>=t);return r?`${n(e/r[1])} ${r[0]}`:t===`times`?`${n(e)} times`:n(e)}function Ni(e,t,n){return`${e}:${t}:${n}`}function Pi({tried:e}){return`With ${e.map(e=>`${Mi(e.value,e.unit)} instead of ${Mi(e.default,e.unit)} (${e.rule===`severity`?`${e.rule} `:``}${e.name})`).join(` and `)}:`}function Fi(e,t,n){let[r,i]=[Ii(e),Ii(t)],a=[...i].flatMap(([e,t])=>{let i=r.get(e);return i?Li(i,t,n.includes(e)):[]});return a.length>0&&e.advice!==t.advice&&a.push(`The advice would be: ${t.advice}`),a}function Ii(e){let t=new Map,n=(e,r)=>{t.set(e.id,{title:e.title,place:r,finding:e,reason:``});for(let t of e.explains)n(t,`under “${e.title}”`)};for(let t of[...e.trust,...e.findings])n(t,``);for(let n of Object.keys(ki))for(let{id:r,title:i,reason:a}of e[n])t.set(r,{title:i,place:n,finding:null,reason:a});return t}function Li(e,t,n){let r=`“${t.title}”`;if(!t.finding){let i=`${ki[t.place]}: ${t.reason}`;return e.finding?[`“${e.title}” would no longer be found; it ${i}`]:e.place!==t.place||n&&e.reason!==t.reason?[`${r} ${i}`]:[]}if(!e.finding){let{severity:e,where:n,summary:i}=t.finding,a=n.length>0?`, ${P(n.length,`place`)}`:``;return[`${r} would be found${t.place&&` ${t.place}`}: ${e}${Ri(t.finding)}${a}. ${i}`]}let i=[];e.finding.severity!==t.finding.severity&&i.push(`be ${t.finding.severity} instead of ${e.finding.severity}`),e.place!==t.place&&i.push(t.place?`be listed ${t.place}`:`be a finding of its own`),e.finding.saving?.ns!==t.finding.saving?.ns&&i.push(`save ${Ri(t.finding).slice(2)||`nothing by itself`}`),e.finding.confidence!==t.finding.confidence&&i.push(`have ${t.finding.confidence} confidence`);let a=e.finding.summary===t.finding.summary?[]:[`${r} would say: ${t.finding.summary}`];return[...i.length>0?[`${r} would ${i.join(`, `)}.`]:[],...a]}function Ri({saving:e}){return e?`, ${kt(e)} per step (${A(e.ratio)})`:``}var zi=class extends G{constructor(...e){super(...e),this.limits=[],this.heading=``,this.changes=[],this.busy=!1,this.asked=0}static{this.styles=L`
    :host {
      background: var(--ground);
      border-radius: 8px;
      display: block;
      padding: 10px 14px;
    }
    td,
    th {
      vertical-align: baseline;
    }
    td:first-child::first-letter {
      text-transform: uppercase;
    }
    input {
      background: var(--panel);
      border: 1px solid var(--control-line);
      border-radius: 4px;
      color: var(--ink);
      font: inherit;
      padding: 2px 6px;
      width: 90px;
    }
    input::placeholder {
      color: var(--ink-2);
      opacity: 1;
    }
    .try {
      background: none;
      border: 1px solid var(--control-line);
      border-radius: 6px;
      color: var(--accent);
      cursor: pointer;
      font: inherit;
      margin-top: 10px;
      padding: 3px 12px;
    }
    #result {
      margin-top: 8px;
    }
    #result li {
      margin-top: 4px;
    }
    ul {
      padding-left: 20px;
    }
  `}static{this.properties={limits:Array,heading:String,changes:Array,busy:Boolean}}connectedCallback(){super.connectedCallback(),this.load(this.rule)}template(){let{limits:e,heading:t,changes:n}=this;return y`
      <form @submit=${this.onTry} novalidate>
        <table>
          <caption class="unseen">
            Thresholds
          </caption>
          <thead>
            <tr>
              <th>Threshold</th>
              <th class="number">Value</th>
              <th>Where it comes from</th>
              <th>Try another</th>
            </tr>
          </thead>
          <tbody>
            ${e.map(({rule:e,threshold:t,words:n,value:r})=>y` <tr>
                  <td>${n}</td>
                  <td class="number">${r}</td>
                  <td class="note">${t.source}</td>
                  <td>
                    ${t.fixed?y`<span class="note" title="It is applied before rules judge, or by several parts."
                            >not here</span
                          >`:y`<input
                            data-trial=${Ni(e,t.id,``)}
                            placeholder=${r}
                            aria-label="Try another value for: ${n}"
                            autocomplete="off"
                            spellcheck="false"
                          />`}
                  </td>
                </tr>`)}
          </tbody>
        </table>
        <button class="try" ?hidden=${e.length===0} ?disabled=${this.busy}>What would change?</button>
      </form>
      <div id="result" role="status">
        <p class="name" ?hidden=${!t}>${t}</p>
        <ul ?hidden=${n.length===0}>
          ${n.map(e=>y`<li class="name">${e}</li>`)}
        </ul>
      </div>
    `}async load(e){try{let{rules:t,severities:n}=await Er(this,`thresholds`)??{rules:{},severities:[]},r=(e,t,n)=>({rule:e,threshold:t,words:n,value:Mi(t.value,t.unit)});this.limits=[...(t[e]??[]).map(t=>r(e,t,t.name)),...n.map(e=>r(Oi,e,`severity ${e.name} from`))]}catch(e){this.heading=e.message}}async onTry(e){e.preventDefault();let t=[...this.shadowRoot.querySelectorAll(`input`)].filter(({value:e})=>e.trim()!==``);if(t.length===0){this.forget(),this.heading=`Type another value beside a threshold.`,this.shadowRoot.querySelector(`input`)?.focus();return}let n=this.forget();this.busy=!0,this.heading=`Judging with that…`;try{let e=t.map(({dataset:e,value:t})=>`${e.trial}${t.trim()}`),r=await Er(this,`try-out`,{trials:e});if(n!==this.asked||!r)return;this.changes=Fi(r.base,r.other,[this.rule]),this.heading=`${Pi(r.other)}${this.changes.length>0?``:` nothing would change.`}`}catch(e){n===this.asked&&(this.heading=e.message)}finally{n===this.asked&&(this.busy=!1)}}forget(){return this.heading=``,this.changes=[],this.busy=!1,++this.asked}};customElements.define(`tfperf-thresholds`,zi);var Bi=class extends G{constructor(...e){super(...e),this.of=``,this.open=!1}static{this.styles=L`
    :host {
      display: block;
    }
    button {
      color: var(--accent);
      font-size: 13px;
    }
    tfperf-thresholds {
      margin-top: 6px;
    }
  `}static{this.properties={rule:String,of:String,open:Boolean}}changed(e){`rule`in e&&(this.open=!1)}template(){return y`
      <button class="bare" aria-expanded=${this.open} aria-label="Thresholds: ${this.of}" @click=${this.onToggle}>
        Thresholds
      </button>
      ${this.open?y`<tfperf-thresholds .rule=${this.rule}></tfperf-thresholds>`:x}
    `}onToggle(){this.open=!this.open}};customElements.define(`tfperf-limits`,Bi);var Vi=class extends G{constructor(...e){super(...e),this.open=null}static{this.styles=L`
    :host {
      display: block;
    }
    .groups {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 24px;
    }
    .group {
      color: var(--ink-2);
      font-size: 13px;
      padding: 2px 0;
    }
    .group:hover {
      color: var(--ink);
    }
    .group b {
      color: var(--ink);
    }
    .group::before {
      content: '▸';
      display: inline-block;
      margin-right: 6px;
      transition: transform 0.1s;
    }
    .group[aria-expanded='true']::before {
      transform: rotate(90deg);
    }
    .rows {
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 8px;
      padding: 4px 18px;
    }
    li {
      padding: 9px 0;
    }
    li + li {
      border-top: 1px solid var(--line);
    }
    ul {
      list-style: none;
      padding: 0;
    }
    .title {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 0 16px;
      justify-content: space-between;
    }
    h3 {
      font-size: 14px;
      font-weight: 600;
      margin: 0;
    }
    .reason {
      overflow-wrap: anywhere;
      white-space: pre-line;
    }
    @media (prefers-reduced-motion: reduce) {
      .group::before {
        transition: none;
      }
    }
  `}static{this.properties={report:Object,open:String}}template(){let{open:e}=this,t=Ui(this.report).filter(([,e])=>e.length>0);return y`
      <div class="groups">
        ${t.map(([t,n])=>y` <button
              class="bare group"
              aria-expanded=${t===e}
              aria-controls="rows"
              @click=${()=>this.open=t===e?null:t}
            >
              <b>${M(n.length)}</b>${` ${t}`}
            </button>`)}
      </div>
      <div id="rows">
        ${t.map(([t,n,r])=>t===e?y`<ul class="rows" aria-label=${t}>
                ${n.map(e=>Hi(e,r))}
              </ul>`:x)}
      </div>
    `}};function Hi({id:e,title:t,reason:n,how:r},i){return y`
    <li>
      <div class="title">
        <h3 class="name">${t}</h3>
        ${i?y`<a
                class="note"
                href=${f(document.baseURI,e)}
                target="_blank"
                rel="noopener"
                aria-label="How this is measured: ${t}"
                >How this is measured</a
              >`:x}
      </div>
      <p class="reason">${n}</p>
      <p class="note reason" ?hidden=${!r}>${r}</p>
      ${i?y`<tfperf-limits .rule=${e} .of=${t}></tfperf-limits>`:x}
    </li>
  `}function Ui(e){let t=e.anomalies.map(e=>({id:e.name,title:`${e.name} (${M(e.count)})`,reason:e.sentence,how:e.severity===`data_loss`?`Part of the recorded data could not be used.`:``}));return[[`failed while checking`,e.errors,!0],[`passed`,e.passed,!0],[`could not be checked, and how to`,e.missing_data,!0],[`do not apply`,e.not_applicable,!0],[`to check by hand`,e.manual,!1],[`oddities in the file`,t,!1]]}customElements.define(`tfperf-checks`,Vi);var Wi=class extends G{constructor(...e){super(...e),this.findings=[],this.only=null}static{this.styles=L`
    :host {
      display: block;
    }
    div {
      display: flex;
      flex-wrap: wrap;
      gap: 6px 8px;
      margin-top: 8px;
    }
    .filter {
      border: 1px solid var(--line);
      border-radius: 14px;
      color: var(--ink-2);
      font-size: 13px;
      line-height: 20px;
      padding: 2px 11px;
    }
    .filter:hover {
      color: var(--ink);
    }
    .filter[aria-pressed='true'] {
      background: var(--info-ground);
      border-color: var(--accent);
      color: var(--ink);
    }
    .all {
      color: var(--accent);
      font-size: 13px;
      margin-left: 4px;
    }
  `}static{this.properties={findings:Array,only:String}}template(){let{only:e}=this,t=zt(this.findings,e);return y`
      <div role="group" aria-label="Show only findings of" ?hidden=${t.length===0}>
        ${t.map(({id:t,words:n,count:r,pressed:i})=>y`
            <button
              class="bare filter"
              aria-pressed=${i}
              @click=${()=>K(this,`filter`,{only:Ut(e,t)})}
            >
              ${n} <b>${r}</b>
            </button>
          `)}
        <button class="bare all" ?hidden=${!e} @click=${this.onAll}>Show all</button>
      </div>
    `}onAll(){K(this,`filter`,{only:null}),this.shadowRoot.querySelector(`button`)?.focus()}};customElements.define(`tfperf-filters`,Wi);async function Gi(e){try{return await navigator.clipboard.writeText(e),!0}catch{return Ki(e)}}function Ki(e){let t=qi(document.activeElement),n=document.createElement(`textarea`);n.value=e,n.style.cssText=`position:fixed;opacity:0`,document.body.append(n),n.select();try{return document.execCommand(`copy`)}catch{return!1}finally{n.remove(),t?.focus({preventScroll:!0})}}function qi(e){let t=e?.shadowRoot?.activeElement;return t?qi(t):e}var Ji=class extends G{constructor(...e){super(...e),this.words=``,this.text=``,this.link=``,this.said=``,this.shown=``}static{this.styles=L`
    :host {
      display: inline;
    }
    button {
      color: var(--accent);
      font-size: 13px;
      font-weight: 400;
    }
    input {
      background: var(--panel);
      border: 1px solid var(--control-line);
      border-radius: 4px;
      color: var(--ink);
      font: inherit;
      margin-left: 8px;
      padding: 1px 6px;
      width: min(420px, 60vw);
    }
  `}static{this.properties={words:String,text:String,link:String,said:String,shown:String}}changed(e){`link`in e&&(this.said=this.shown=``)}template(){return y`
      <button class="bare" @click=${this.onCopy}>${this.words}</button
      ><span role="status" class="note"> ${this.said}</span>
      <input readonly .value=${this.shown} aria-label=${this.words} ?hidden=${!this.shown} />
    `}async onCopy(){let e=this.link?Er(this,`link`,{id:this.link})??``:this.text,t=await Gi(e);if(this.said=t?`Copied`:`Press Ctrl+C to copy:`,this.shown=t?``:e,t)return;this.drawNow();let n=this.shadowRoot.querySelector(`input`);n?.focus(),n?.select()}};customElements.define(`tfperf-copy`,Ji);var Yi=class extends G{static{this.styles=L`
    :host {
      display: block;
    }
    td {
      overflow-wrap: anywhere;
    }
    td.sentence {
      --first-letter: uppercase;
    }
    td.sentence::first-letter {
      text-transform: uppercase;
    }
    td.number {
      overflow-wrap: normal;
    }
    td.words {
      width: 250px;
      text-align: right;
    }
    .against {
      color: var(--ink-2);
      text-align: right;
      width: 38%;
    }
    .against div + div {
      font-size: 12.5px;
    }
  `}static{this.properties={items:Array}}template(){return y`
      <table>
        <caption class="unseen">
          Evidence
        </caption>
        <thead class="unseen">
          <tr>
            <th>What</th>
            <th>Value</th>
            <th>Threshold and source</th>
          </tr>
        </thead>
        <tbody>
          ${this.items.map(Xi)}
        </tbody>
      </table>
    `}};function Xi(e){let t=N(e.value,e.unit);return y`
    <tr>
      <td class=${/^\p{L}/u.test(e.label)?`sentence`:``}><tfperf-text .text=${e.label}></tfperf-text></td>
      <td class=${t.length>24?`words`:`number`}>${t}</td>
      <td class="against">
        <div>${Ot(e)}</div>
        <div>${e.source}</div>
      </td>
    </tr>
  `}customElements.define(`tfperf-evidence`,Yi);var Zi=class extends G{constructor(...e){super(...e),this.code=``,this.framework=``,this.said=``}static{this.styles=L`
    :host {
      display: block;
    }
    figure {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 6px;
      margin: 8px 0 0;
    }
    figcaption {
      align-items: center;
      border-bottom: 1px solid var(--line);
      color: var(--ink-2);
      display: flex;
      font-size: 12.5px;
      justify-content: space-between;
      padding: 2px 4px 2px 12px;
    }
    pre {
      overflow-x: auto;
      padding: 8px 12px 10px;
    }
    .copy {
      border-radius: 4px;
      color: var(--accent);
      font-size: 12.5px;
      padding: 3px 8px;
    }
  `}static{this.properties={code:String,framework:String,said:String}}changed(e){`code`in e&&(this.said=``)}template(){let{framework:e,said:t}=this;return y`
      <figure>
        <figcaption>
          <span>${e}</span>
          <button class="bare copy" @click=${this.onCopy} aria-label="Copy the code for ${e}">
            ${t||`Copy`}
          </button>
        </figcaption>
        <pre id="code" tabindex="0" aria-label=${e}>${this.code}</pre>
      </figure>
      <div class="unseen" role="status">${t}</div>
    `}async onCopy(){let e=await Gi(this.code);e||window.getSelection()?.selectAllChildren(this.child(`code`)),this.said=e?`Copied`:`Selected: press Ctrl+C`}};customElements.define(`tfperf-code`,Zi);var Qi=class extends G{static{this.styles=L`
    :host {
      display: block;
    }
    h4 {
      font-size: 13px;
      margin: 0 0 2px;
    }
    ol {
      padding-left: 20px;
    }
    li {
      padding-left: 2px;
    }
    .frameworks {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 16px;
      margin-top: 10px;
    }
    .framework {
      border-bottom: 2px solid transparent;
      color: var(--ink-2);
      font-size: 13px;
    }
    .framework:hover {
      color: var(--ink);
    }
    .framework[aria-pressed='true'] {
      border-bottom-color: var(--accent);
      color: var(--ink);
    }
    .links {
      display: flex;
      flex-wrap: wrap;
      gap: 2px 16px;
      list-style: none;
      margin-top: 8px;
      overflow-wrap: anywhere;
      padding: 0;
    }
  `}static{this.properties={fix:Object,guide:Object,rule:String,snippet:Object}}changed(e){`fix`in e&&(this.snippet=this.fix.snippets[0])}template(){let{fix:e,snippet:t}=this,{summary:n,actions:r,snippets:i}=e;return y`
      <h4 id="do">Do this <tfperf-copy words="Copy this fix" .text=${$i(e,t)}></tfperf-copy></h4>
      <p ?hidden=${!n}>${n}</p>
      <ol aria-labelledby="do" ?hidden=${r.length===0}>
        ${r.map(e=>y`<li>${e}</li>`)}
      </ol>
      ${t?y` <div class="frameworks" ?hidden=${i.length<2}>
                ${i.map(e=>y`<button
                      class="bare framework"
                      aria-pressed=${e===t}
                      @click=${()=>this.snippet=e}
                    >
                      ${e.framework}
                    </button>`)}
              </div>
              <tfperf-code .framework=${t.framework} .code=${t.code}></tfperf-code>`:x}
      <ul class="links note">
        ${this.links().map(({title:e,href:t})=>y`<li>${t?y`<a href=${t} target="_blank" rel="noopener">${e}</a>`:e}</li>`)}
      </ul>
    `}links(){let{section:e,url:t}=this.guide,n=[...e?[{title:`Guide: ${e}`,url:t}]:[],...this.fix.links];return[{title:`How this is measured`,href:f(document.baseURI,this.rule)},...n.map(e=>({title:e.title.trim()||e.url,href:m(e.url)}))]}};function $i({summary:e,actions:t},n){let r=t.map((e,t)=>`${t+1}. ${e}`),i=n?[``,`${n.framework}:`,n.code]:[];return[e,...r,...i].filter((e,t)=>e||t>0).join(`
`)}customElements.define(`tfperf-fix`,Qi);var ea={critical:`●`,warning:`▲`,info:`i`},ta=class extends G{static{this.styles=L`
    :host {
      display: inline-block;
    }
    span {
      border-radius: 10px;
      display: inline-block;
      font-size: 12.5px;
      font-weight: 600;
      line-height: 20px;
      padding: 0 9px;
      white-space: nowrap;
    }
    i {
      display: inline-block;
      font-size: 11px;
      margin-right: 5px;
    }
    .critical {
      background: var(--critical-ground);
      color: var(--critical);
    }
    .critical i,
    .warning i {
      font-style: normal;
    }
    .warning {
      background: var(--warning-ground);
      color: var(--warning);
    }
    .info {
      background: var(--info-ground);
      color: var(--info);
    }
    .info i {
      font-family: Georgia, serif;
      font-size: 13px;
    }
  `}static{this.properties={severity:String}}template(){let{severity:e}=this;return y`<span class=${e}><i aria-hidden="true">${ea[e]}</i>${e}</span>`}};customElements.define(`tfperf-severity`,ta);var na=14,ra=20;function ia(e){let t=new Map;for(let n of e)t.set(n.step,[...t.get(n.step)??[],n]);return[...t].map(([e,t])=>{let n=t.map(e=>e.first_kernel_ns);return{step:e,rows:t,apart_ns:Math.max(...n)-Math.min(...n)}}).sort((e,t)=>t.apart_ns-e.apart_ns)}function aa(e){return[`${F(e.device)}: first kernel at ${O(e.first_kernel_ns)}`,`last kernel ends at ${O(e.last_kernel_ns)}`,e.first_launch_ns===null?``:`first launch at ${O(e.first_launch_ns)}`,e.idle_ns>0?`idle for ${O(e.idle_ns)} while another GPU runs`:``,e.wait_ns>0?`waits ${O(e.wait_ns)} in AllReduce for GPUs that started later`:``].filter(Boolean).join(`, `)}function oa(e,t){let n=Math.min(0,...e.map(e=>e.first_launch_ns??0)),r=Math.max(...e.map(e=>e.last_kernel_ns),n+1),i=e=>`${(e/(r-n)*100).toFixed(4)}%`,a=new Kn,o=e.map((e,t)=>{let o=t*28+7,s=(e,t,r)=>a.fill(w(e),{x:i(t-n),y:o,width:i(Math.max(0,r-t)),height:na}),c=e.first_kernel_ns,l=e.last_kernel_ns,u=Math.max(0,Math.min(e.idle_ns,c)),d=Math.max(0,Math.min(e.idle_ns-u,r-l)),f=Math.max(0,Math.min(e.wait_ns,l-c)),p=V(`g`,{},V(`rect`,{x:0,y:t*28,width:`100%`,height:28,class:`slot`}),s(`idle.stagger`,c-u,c),s(`compute`,c,l-f),s(`communication.wait`,l-f,l),s(`idle.stagger`,l,l+d));if(e.first_launch_ns!==null){let t=i(e.first_launch_ns-n);p.append(V(`line`,{x1:t,x2:t,y1:o-3,y2:o+na+3,class:`launch`}))}return p}),s=e.length*28,c=B(r).map(e=>V(`text`,{x:i(e-n),y:s+14,class:`tick`},e===0?`0`:O(e)));return{drawing:V(`svg`,{width:`100%`,height:s+ra,role:`img`,"aria-label":t},a.defs,...o,...c),groups:o}}var sa=e=>e===null?`not recorded`:O(e),ca=[{head:`GPU`,cell:({device:e})=>F(e)},{head:`First launch`,cell:e=>sa(e.first_launch_ns),kind:`number`},{head:`First kernel`,cell:e=>sa(e.first_kernel_ns),kind:`number`},{head:`Last kernel ends`,cell:e=>sa(e.last_kernel_ns),kind:`number`},{head:`Idle`,cell:e=>sa(e.idle_ns),kind:`number`},{head:`Waits in AllReduce`,cell:e=>sa(e.wait_ns),kind:`number`},{head:`Launched by thread`,cell:({thread:e})=>e||`not recorded`,kind:`name`}],la=class extends G{constructor(...e){super(...e),this.access=null,this.step=null}static{this.styles=L`
    :host {
      display: block;
      min-width: 0;
    }
    label {
      color: var(--ink-2);
      font-size: 13px;
    }
    select {
      background: var(--panel);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      font-size: 13px;
      margin-left: 6px;
      max-width: 100%;
      padding: 2px 4px;
    }
    #chart {
      display: grid;
      grid-template-columns: auto minmax(0, 1fr);
      gap: 0 10px;
      margin-top: 8px;
      padding-right: 14px;
      position: relative;
    }
    .rows {
      list-style: none;
      padding: 0;
    }
    .rows li {
      align-items: center;
      display: flex;
      height: 28px;
    }
    .rows button,
    .rows span {
      font-size: 12.5px;
    }
    .rows button {
      color: var(--accent);
    }
    #drawing svg {
      display: block;
      overflow: visible;
    }
    #drawing.linked g {
      cursor: pointer;
    }
    .slot {
      fill: transparent;
    }
    g.on .slot {
      fill: var(--ground);
    }
    .tick {
      fill: var(--ink-2);
      font-size: 11.5px;
      text-anchor: middle;
    }
    .launch {
      stroke: var(--ink);
      stroke-width: 1.5;
    }
    .legend {
      font-size: 12.5px;
      gap: 2px 14px;
      margin-top: 4px;
    }
    p {
      margin-top: 6px;
    }
    tfperf-table {
      margin-top: 6px;
    }
  `}static{this.properties={stagger:Object,access:Object,step:Number}}changed(e){`stagger`in e&&(this.steps=ia(this.stagger.items),this.step=null),this.shown=this.steps.find(({step:e})=>e===this.step)??this.steps[0]}template(){let{stagger:e,steps:t,shown:n}=this,r=e=>{let t=F(e.device);return this.linked()?y`<button class="bare" @click=${()=>this.open(e)} aria-label="Show ${t} in the trace">
            ${t}
          </button>`:y`<span>${t}</span>`},i=e.steps_total>t.length?`, the ${t.length} furthest apart of ${e.steps_total}`:``;return y`
      <label ?hidden=${t.length<2}
        >Step${i}
        <select id="step" @change=${this.onStep}>
          ${t.map(e=>y`<option .value=${e.step} .selected=${e===n}>${e.step}, ${O(e.apart_ns)} apart</option>`)}
        </select>
      </label>
      <div id="chart">
        <ul class="rows">
          ${n.rows.map(e=>y`<li>${r(e)}</li>`)}
        </ul>
        <div id="drawing" class=${this.linked()?`linked`:x}></div>
      </div>
      <ul id="legend" class="legend"></ul>
      <p class="note">${ua(e,n)}</p>
      <p class="note">${da(e)}</p>
      <tfperf-table
        heading="The numbers of this step"
        .columns=${ca}
        .items=${n.rows}
        note="All times count from the first kernel of the step on any GPU; launches come before it."
      ></tfperf-table>
    `}onStep(e){this.step=Number(e.target.value)}linked(){return ee(this.access,this.stagger.host)}open({host:e,device:t,step:n,begin_ms:r,end_ms:i}){if(!this.linked())return;let a={host:e,device:t,step:n,begin_ms:r,end_ms:i,label:`start of ${F(t)}`,stream:null};K(this,`show-trace`,{place:a})}drawn(e){if(!(`stagger`in e||`step`in e))return;let{rows:t}=this.shown;this.tip??=new q(this.child(`chart`)),this.tip.hide();let{drawing:n,groups:r}=oa(t,ua(this.stagger,this.shown));this.tip.explain(n,r,t.map(aa)),t.forEach((e,t)=>r[t]?.addEventListener(`click`,()=>this.open(e))),this.child(`drawing`).replaceChildren(n),this.child(`legend`).replaceChildren(...fa(t))}};function ua({host:e},{step:t,rows:n,apart_ns:r}){let i=[...n].sort((e,t)=>e.first_kernel_ns-t.first_kernel_ns),[a,o]=[i[0],i.at(-1)];return a&&o?`Step ${t} on ${e}: ${F(o.device)} starts ${O(r)} after ${F(a.device)}.`:``}function da({order:e,devices:t,one_thread:n,private_threads:r}){return[{fixed:`The order is the same in all steps: ${t.map(F).join(`, `)}.`,rotating:`The order changes from step to step.`,none:``}[e],{true:`One host thread makes the first launch for all of them.`,false:`Different host threads make their first launches.`,null:``}[`${n}`],r?`Each GPU has launch threads of its own.`:``].filter(Boolean).join(` `)}function fa(e){let t=document.createElement(`li`);return t.append(`| first launch on the host`),[...e.some(e=>e.first_launch_ns!==null)?[t]:[],...e.some(e=>e.idle_ns>0)?[H(w(`idle.stagger`),`idle, other GPUs run`)]:[],H(w(`compute`),`first to last kernel`),...e.some(e=>e.wait_ns>0)?[H(w(`communication.wait`),`of it waiting in collectives`)]:[]]}customElements.define(`tfperf-stagger`,la);var pa=class extends G{constructor(...e){super(...e),this.access=null,this.stagger=null,this.nested=!1,this.expanded=!1,this.mark=null,this.opened=null,this.traced=null}static{this.styles=L`
    :host {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: block;
    }
    :host([nested]) {
      background: none;
    }
    h3 {
      font: inherit;
    }
    .head {
      align-items: baseline;
      border-radius: 10px;
      display: grid;
      gap: 2px 14px;
      grid-template-columns: 20px 88px minmax(0, 1fr) auto 14px;
      padding: 12px 18px;
      width: 100%;
    }
    .head:hover {
      background: var(--ground);
    }
    :host([nested]) .head {
      grid-template-columns: 88px minmax(0, 1fr) auto 14px;
      padding: 9px 14px;
    }
    .index {
      color: var(--ink-2);
    }
    .title {
      font-size: 15px;
      font-weight: 600;
    }
    :host([nested]) .title {
      font-size: 14px;
    }
    .saving {
      text-align: right;
      white-space: nowrap;
    }
    .saving b {
      color: var(--ink);
      font-size: 15px;
    }
    .chevron {
      align-self: center;
      border: solid var(--ink-2);
      border-width: 0 1.5px 1.5px 0;
      height: 7px;
      margin: -4px 2px 0;
      transform: rotate(45deg);
      width: 7px;
    }
    [aria-expanded='true'] .chevron {
      margin-top: 4px;
      transform: rotate(225deg);
    }
    .body {
      border-top: 1px solid var(--line);
      padding: 14px 18px 18px 52px;
    }
    :host([nested]) .body {
      padding: 12px 14px 14px;
    }
    .columns {
      display: grid;
      gap: 20px 28px;
      grid-template-columns: minmax(0, 1fr) minmax(0, 400px);
    }
    .columns.plain {
      grid-template-columns: minmax(0, 1fr);
    }
    .main > * + * {
      margin-top: 12px;
    }
    .side tfperf-places {
      margin-top: 14px;
    }
    .folded {
      margin-top: 18px;
    }
    .folded h4 {
      color: var(--ink-2);
      font-size: 13px;
      font-weight: 400;
      margin: 0 0 6px;
    }
    .folded tfperf-finding + tfperf-finding {
      margin-top: 6px;
    }
    .actions {
      border-top: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 4px 20px;
      margin-top: 16px;
      padding-top: 10px;
    }
    .actions button {
      color: var(--accent);
      font-size: 13px;
    }
    .actions + tfperf-limits {
      margin-top: 6px;
    }
    :host([mark]) .title,
    :host([mark]) .saving b {
      color: var(--ink-2);
      font-weight: 400;
    }
    .marked {
      color: var(--ink-2);
      font-size: 13px;
      padding: 0 18px 10px 154px;
    }
    .marked button {
      color: var(--accent);
      margin-left: 12px;
    }
    @media (min-width: 1600px) {
      .columns:not(.plain) {
        grid-template-columns: minmax(0, 1fr) minmax(0, 600px);
      }
    }
    @media (max-width: 999px) {
      .columns {
        grid-template-columns: minmax(0, 1fr);
      }
      .body,
      .marked {
        padding-left: 18px;
      }
      .head {
        grid-template-columns: 20px 88px minmax(0, 1fr) 14px;
      }
      :host([nested]) .head {
        grid-template-columns: 88px minmax(0, 1fr) 14px;
      }
      .saving {
        grid-column: 3;
        grid-row: 2;
        text-align: left;
        white-space: normal;
      }
      :host([nested]) .saving {
        grid-column: 2;
      }
    }
  `}static{this.properties={finding:Object,index:Number,run:String,access:Object,stagger:Object,nested:Boolean,expanded:Boolean,mark:String,opened:String,traced:Object}}changed(e){`finding`in e&&(this.traced=null),this.nested&&(`finding`in e||`opened`in e)&&(this.expanded=this.finding.id===this.opened),(`finding`in e||`expanded`in e)&&K(this,`finding-shown`,{places:this.expanded?this.finding.where:[]})}template(){let{finding:e,mark:t,expanded:n}=this,{title:r,saving:i}=e;return y`
      <h3>
        <button id="head" class="bare head" aria-expanded=${n} @click=${this.onToggle}>
          <span class="index" ?hidden=${this.nested}>${this.index}</span>
          <tfperf-severity .severity=${e.severity}></tfperf-severity>
          <span class="title name">${r}</span>
          <span class="saving note"
            ><b>${i?kt(i):``}</b
            >${i?` ${i.once_ns?``:`per step · ${A(i.ratio)} `}· `:``}${e.confidence}
            confidence</span
          >
          <span class="chevron" aria-hidden="true"></span>
        </button>
      </h3>
      <p class="marked" ?hidden=${!t}>
        Marked as ${t?Mt[t]:``}<button
          class="bare"
          @click=${()=>this.say(null)}
          aria-label="Undo the mark of: ${r}"
        >
          Undo
        </button>
      </p>
      ${n?this.body(e):x}
    `}body({id:e,title:t,summary:n,evidence:r,saving:i,fix:a,guide:o,where:s,explains:c}){let{run:l,access:u,stagger:d,traced:f}=this,p=e===`gpu-stagger`&&!!d?.items.length,m=i?.basis,h=(e,t)=>y`<button class="bare" ?hidden=${this.mark} @click=${()=>this.say(e)}>${t}</button>`;return y`
      <div class="body">
        <div class="columns ${p||s.length>0?``:`plain`}">
          <div class="main">
            <p class="name"><tfperf-text .text=${n}></tfperf-text></p>
            <tfperf-evidence .items=${r} ?hidden=${r.length===0}></tfperf-evidence>
            <p class="note" ?hidden=${!m}>How the saving was estimated: ${m}</p>
            <tfperf-fix .fix=${a} .guide=${o} .rule=${e}></tfperf-fix>
          </div>
          <div class="side" @show-trace=${this.onTrace}>
            ${p?y`<tfperf-stagger .stagger=${d} .access=${u}></tfperf-stagger>`:x}
            ${s.length>0?y`<tfperf-places
                    .run=${l}
                    .places=${s}
                    .access=${u}
                    .shown=${f!==null}
                  ></tfperf-places>`:x}
          </div>
        </div>
        ${f?y`<tfperf-trace .run=${l} .place=${f}></tfperf-trace>`:x}
        ${c.length>0?y` <div class="folded">
                <h4>This also explains</h4>
                ${c.map(e=>y`<tfperf-finding
                      nested
                      .finding=${e}
                      .run=${l}
                      .access=${u}
                      .stagger=${d}
                      .opened=${this.opened}
                    ></tfperf-finding>`)}
              </div>`:x}
        <div class="actions">
          ${this.nested?x:[h(`done`,`Mark as done`),h(`irrelevant`,`Not relevant here`)]}
          <tfperf-copy words="Copy link" .link=${e}></tfperf-copy>
        </div>
        <tfperf-limits .rule=${e} .of=${t}></tfperf-limits>
      </div>
    `}onTrace(e){e.stopPropagation(),this.traced=e.detail.place}onToggle(){this.expanded=!this.expanded,this.expanded||(this.traced=null),this.nested||K(this,`finding-toggle`,{id:this.finding.id,expanded:this.expanded})}say(e){K(this,`mark`,{id:this.finding.id,mark:e})}show(e){let t=[...this.shadowRoot.querySelectorAll(`tfperf-finding`)].find(({finding:t})=>t.id===e)??this,{top:n}=t.getBoundingClientRect();(n<0||n>window.innerHeight/2)&&t.scrollIntoView({block:`start`}),t.focusHead()}focusHead(){this.child(`head`).focus({preventScroll:!0})}};customElements.define(`tfperf-finding`,pa);var ma=20;function ha(e){if(e.findings.some(({severity:e})=>e!==`info`))return null;if(e.passed.length===0)return{mark:`–`,sentence:`Nothing could be judged.`,note:`The list below says what is missing and how to record it.`};if(e.ledger===null){let t=e.gpus.total===0?`GPU time`:`whole steps`;return{mark:`–`,sentence:`The checks that this profile allows found nothing that costs time.`,note:`${P(e.passed.length,`check`)} passed. What a step loses cannot be told without ${t}.`}}let t=e.findings.length>0?` What is listed here is worth less than that.`:``;return{mark:`✓`,sentence:`Nothing to fix above 5 % of a step.`,note:`${P(e.passed.length,`check`)} passed; “passed” below shows each with its number.${t}`}}function ga({findings:[e,t]}){return+(e?.where.length===0&&t!==void 0&&t.where.length>0)}function _a({id:e,explains:t},n){return e===n||t.some(e=>e.id===n)}var va=class extends G{constructor(...e){super(...e),this.access=null,this.opened=null,this.only=null,this.marks={},this.open={},this.count=ma}static{this.styles=L`
    :host {
      display: block;
    }
    tfperf-finding {
      margin-top: 8px;
    }
    .calm {
      align-items: baseline;
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: flex;
      gap: 12px;
      margin-top: 8px;
      padding: 14px 18px;
    }
    .calm b {
      font-size: 15px;
    }
    .calm .mark {
      color: var(--good);
      font-weight: 700;
    }
    tfperf-checks {
      margin-top: 14px;
    }
    p:empty {
      display: none;
    }
    [role='status'] {
      margin-top: 6px;
    }
  `}static{this.properties={report:Object,access:Object,opened:String,only:String,marks:Object,open:Object,count:Number}}changed(e){let{report:t,opened:n}=this,r=e.report;(`opened`in e||r&&r.run!==t.run)&&(this.open={}),`opened`in e&&n!==null&&requestAnimationFrame(()=>setTimeout(()=>this.reveal(n))),this.count=Math.max(ma,Math.min(this.count,this.lines().length))}template(){let{report:e,access:t,opened:n,open:r}=this,{run:i,findings:a,passed:o,stagger:s}=e,c=this.lines(),l=o.length+a.length,u=ha(e),d=n!==null&&a.some(e=>_a(e,n)),f=({finding:t,rank:r,mark:i})=>d?_a(t,n):i===null&&r<=ga(e)+1&&!u;return y`
      <h2>
        What to change, by saving and confidence
        <small>${l>0?`${a.length} of ${P(l,`check`)} found something`:``}</small>
      </h2>
      ${u?y` <div class="calm">
              <span class="mark" aria-hidden="true">${u.mark}</span>
              <p><b>${u.sentence}</b><br /><span class="note">${u.note}</span></p>
            </div>`:x}
      <tfperf-filters .findings=${a} .only=${this.only}></tfperf-filters>
      <p class="note" role="status">${Gt(c,a,this.marks)}</p>
      ${c.slice(0,this.count).map(e=>y` <tfperf-finding
              .finding=${e.finding}
              .index=${e.rank}
              .run=${i}
              .access=${t}
              mark=${e.mark??x}
              .stagger=${s}
              .opened=${n}
              .expanded=${r[e.finding.id]??f(e)}
            ></tfperf-finding>`)}
      <tfperf-checks .report=${e}></tfperf-checks>
    `}drawn(){let{count:e}=this;e<this.lines().length&&requestAnimationFrame(()=>this.count=e+ma)}ready(){super.ready(),this.addEventListener(`finding-toggle`,e=>{let{id:t,expanded:n}=e.detail;this.open={...this.open,[t]:n}}),this.addEventListener(`mark`,e=>{let{id:t,mark:n}=e.detail,r=this.lines().findIndex(({finding:e})=>e.id===t);this.open={...this.open,[t]:n===null},requestAnimationFrame(()=>this.elements()[n===null?this.lines().findIndex(e=>e.finding.id===t):r]?.focusHead())})}lines(){return Wt(this.report.findings,this.marks,this.only)}reveal(e,t=100){let n=this.elements().find(({finding:t})=>_a(t,e));n?n.show(e):t>0&&this.lines().some(({finding:t})=>_a(t,e))&&requestAnimationFrame(()=>this.reveal(e,t-1))}elements(){return[...this.shadowRoot.querySelectorAll(`tfperf-finding`)]}};customElements.define(`tfperf-findings`,va);var ya=8,ba=96,xa=16;function Sa(e,t){let n=Math.max(1,...e.map(({own_ns:e,others_ns:t})=>Math.max(e,t??0))),r=e=>ya+ba*(1-e/n),i=100/Math.max(e.length,1),a=e=>`${((e+.5)*i).toFixed(4)}%`,o=e.map(({own_ns:e},t)=>V(`g`,{},V(`rect`,{x:`${(t*i).toFixed(4)}%`,y:ya,width:`${i.toFixed(4)}%`,height:ba,class:`slot`}),V(`circle`,{cx:a(t),cy:r(e),r:3,class:`own-point`}))),s=(e,t)=>e.flatMap((n,i)=>{let o=e[i+1];return n===null||o==null?[]:[V(`line`,{x1:a(i),x2:a(i+1),y1:r(n),y2:r(o),class:t})]}),c=e.length<=xa?e.keys():[0,e.length-1];return{drawing:V(`svg`,{width:`100%`,height:126,role:`img`,"aria-label":t},...B(n).map(e=>V(`g`,{},V(`line`,{x1:0,x2:`100%`,y1:r(e),y2:r(e),class:`grid`}),V(`text`,{x:0,dx:-8,y:r(e)+4,class:`tick end`},e===0?`0`:O(e)))),...s(e.map(e=>e.others_ns),`others`),...s(e.map(e=>e.own_ns),`own`),...o,V(`text`,{x:0,dx:-8,y:120,class:`tick end`},`step`),...[...c].map(t=>V(`text`,{x:a(t),y:120,class:`tick`},String(e[t]?.step)))),groups:o}}function Ca(e){return[...e].sort((e,t)=>Number(t.slow)-Number(e.slow))}function wa({own_ns:e,compute_ns:t,wait_ns:n}){let r=Math.min(t,e);return[{look:w(`compute`),ns:r},{look:{words:`other time of its own`,colour:`--account-unknown`,pattern:`dots`},ns:e-r},{look:w(`communication.wait`),ns:n}].filter(({ns:e})=>e>0)}function Ta(e){return[`${e.host}${e.slow?` (slow)`:``}: ${O(e.own_ns)} of its own in a step`,`${O(e.compute_ns)} of it compute`,`${O(e.wait_ns)} waiting for others`,e.late_ns===null?``:`arrives ${O(e.late_ns)} after the first host`].filter(Boolean).join(`, `)}var Ea=3,Da=4;function Oa(e){let t=e.filter(e=>e.slow),n=e.map(({own_ns:e})=>e);if(t.length===0){let t=`A host’s own part of a step takes ${O(Math.min(...n))} to ${O(Math.max(...n))}.`;return e.length<Ea?`${t} With fewer than three hosts none can be told to be the slow one.`:`${t} No host is slow.`}let r=t.slice(0,Da).map(({host:e})=>e),i=t.length>Da?[`${M(t.length-Da)} more`]:[],a=t.map(({late_ns:e})=>e).filter(e=>e!==null),o=e.filter(e=>!e.slow).map(({own_ns:e})=>e);return[`${ka([...r,...i])} ${t.length===1?`is`:`are`} slow`,a.length>0?`: ${O(Ma(a))} behind the first host at AllReduce. The`:`: the`,` own part of a step takes ${O(Ma(t.map(({own_ns:e})=>e)))}`,o.length>0?`, against ${O(Ma(o))} on the others (median).`:`.`].join(``)}function ka(e){return e.length<2?e.join(``):`${e.slice(0,-1).join(`, `)} and ${e.at(-1)}`}function Aa(e,t){let n=new Map;for(let r of t)if(r!==e)for(let{step:e,own_ns:t}of r.steps)n.set(e,[...n.get(e)??[],t]);return e.steps.map(({step:e,own_ns:t})=>{let r=n.get(e);return{step:e,own_ns:t,others_ns:r?Ma(r):null}})}function ja({step:e,own_ns:t,others_ns:n}){return`Step ${e}: ${O(t)}, others ${n===null?`not recorded`:O(n)}`}function Ma(e){let t=[...e].sort((e,t)=>e-t),n=t.length/2;return((t[Math.ceil(n)-1]??0)+(t[Math.floor(n)]??0))/2}function Na({clock_source:e}){return{collectives:`ends of collectives`,"wall clock":`wall clocks`,"same host":`the same clock`,unknown:`not known: clocks could not be aligned`}[e]}var Pa=16,Fa=64,J=e=>e===null?`not known`:O(e),Ia=[{head:`Host`,cell:({host:e,slow:t})=>`${e}${t?` (slow)`:``}`,kind:`name`},{head:`GPUs`,cell:e=>M(e.gpus_count),kind:`number`},{head:`Steps`,cell:e=>M(e.steps_count),kind:`number`},{head:`Step`,cell:e=>J(e.step_ns),kind:`number`},{head:`Own`,cell:e=>J(e.own_ns),kind:`number`},{head:`Compute`,cell:e=>J(e.compute_ns),kind:`number`},{head:`Waits for input`,cell:e=>J(e.input_ns),kind:`number`},{head:`Waits for others`,cell:e=>J(e.wait_ns),kind:`number`},{head:`Arrives late by`,cell:e=>J(e.late_ns),kind:`number`},{head:`Clock off by`,cell:e=>J(e.clock_offset_ns),kind:`number`},{head:`Known to ±`,cell:e=>J(e.clock_uncertainty_ns),kind:`number`},{head:`Aligned by`,cell:Na}],La=`“Own”: the step without waiting in AllReduce. “Arrives late by”: after the first host, at the AllReduce calls that join hosts; median. “Clock off by”: against the clock of the first host, found by what “Aligned by” names: all GPUs leave an AllReduce together.`,Ra=[{head:`Step`,cell:({step:e})=>String(e)},{head:`Own`,cell:({own_ns:e})=>J(e),kind:`number`},{head:`Median of the others`,cell:({others_ns:e})=>J(e),kind:`number`}],za=class extends G{constructor(...e){super(...e),this.hosts=[],this.picked=null,this.onlySlow=!1,this.chosen=null,this.points=[],this.drawing={}}static{this.styles=L`
    :host {
      display: block;
    }
    #chart {
      margin-top: 8px;
      position: relative;
    }
    #rows {
      list-style: none;
      padding: 0;
    }
    #rows.many {
      border: 1px solid var(--line);
      border-radius: 6px;
      max-height: 400px;
      overflow-y: auto;
      padding: 6px 8px;
    }
    #rows li {
      align-items: center;
      display: grid;
      gap: 12px;
      grid-template-columns: minmax(120px, 280px) minmax(0, 1fr) 66px;
      height: 24px;
    }
    #rows button {
      border-radius: 3px;
      display: flex;
      font-size: 12.5px;
      gap: 6px;
      line-height: 24px;
      min-width: 0;
      padding: 0 4px;
    }
    #rows button[aria-pressed='true'] {
      background: var(--ground);
      box-shadow: inset 3px 0 var(--accent);
      padding-left: 8px;
    }
    #rows .host {
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    #rows .slow {
      color: var(--warning);
      flex: none;
      font-weight: 600;
    }
    #rows .total {
      font-size: 12.5px;
      font-variant-numeric: tabular-nums;
      text-align: right;
      white-space: nowrap;
    }
    .only {
      margin-top: 8px;
    }
    h3 {
      font-size: 13px;
      font-weight: 600;
      margin-top: 16px;
    }
    #steps {
      margin-top: 6px;
      padding: 0 14px 0 60px;
      position: relative;
    }
    #steps svg {
      display: block;
      overflow: visible;
    }
    .slot {
      fill: transparent;
    }
    g.on .slot {
      fill: var(--ground);
    }
    .grid {
      stroke: var(--line);
    }
    .tick {
      fill: var(--ink-2);
      font-size: 11.5px;
      text-anchor: middle;
    }
    .tick.end {
      text-anchor: end;
    }
    .own {
      stroke: var(--accent);
      stroke-width: 2;
    }
    .own-point {
      fill: var(--accent);
    }
    .others {
      stroke: var(--ink-2);
      stroke-dasharray: 5 4;
      stroke-width: 1.5;
    }
    .steps-legend {
      padding-left: 60px;
    }
    .steps-legend i {
      border-top: 2px solid var(--accent);
      width: 18px;
    }
    .steps-legend i.dashed {
      border-top: 2px dashed var(--ink-2);
    }
    .tables {
      margin-top: 8px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
  `}static{this.properties={hosts:Array,picked:Object,onlySlow:Boolean}}changed(e){if(`hosts`in e)this.onlySlow=!1,this.picked=null;else if(!(`picked`in e))return;let{hosts:t}=this,[n]=[...t].sort((e,t)=>t.own_ns-e.own_ns);this.chosen=this.picked??Ca(t).find(({slow:e})=>e)??n??null,this.points=this.chosen?Aa(this.chosen,t):[]}template(){let{hosts:e,points:t}=this,n=e.filter(e=>e.slow).length,r=Math.max(0,...e.map(({steps_count:e})=>e)),i=this.chosen?.host;return y`
      <h2>
        <tfperf-term word="Hosts"></tfperf-term>
        <small
          >${P(e.length,`host`)}, average of the ${P(r,`step`)} that all of them recorded
          whole</small
        >
      </h2>
      <p class="name">${e.length>0?Oa(e):``}</p>
      <button
        class="button only"
        ?hidden=${e.length<=Pa||n===0}
        aria-pressed=${this.onlySlow}
        @click=${this.onOnly}
      >
        Only slow hosts (${M(n)})
      </button>
      <div id="chart"><ul id="rows" aria-label="Hosts: own time and waiting in an average step"></ul></div>
      <ul id="legend" class="legend" aria-label="Parts of a step"></ul>
      <div ?hidden=${t.length===0}>
        <h3 class="name">Own time of ${i} step by step</h3>
        <div id="steps"></div>
        <ul class="legend steps-legend" aria-label="Lines">
          <li><i></i><span class="name">${i}</span></li>
          <li><i class="dashed"></i>median of the other hosts</li>
        </ul>
      </div>
      <div class="tables">
        <tfperf-table
          panel="hosts"
          heading="Each host"
          .columns=${Ia}
          .items=${e}
          note=${La}
        ></tfperf-table>
        <tfperf-table
          panel="hosts"
          .heading="Each step of ${i}"
          .columns=${Ra}
          .items=${t}
        ></tfperf-table>
      </div>
    `}drawn(e){`hosts`in e&&this.drawLegend(),(`hosts`in e||`onlySlow`in e)&&this.drawRows(),(`hosts`in e||`picked`in e)&&this.drawSteps(),this.markChosen()}onOnly(){this.onlySlow=!this.onlySlow}drawLegend(){let e=new Map(this.hosts.flatMap(wa).map(({look:e})=>[e.words,e]));this.child(`legend`).replaceChildren(...[...e.values()].map(e=>H(e,e.colour===w(`communication.wait`).colour?`waiting for other hosts and GPUs`:e.words)))}drawRows(){this.tip??=new q(this.child(`chart`)),this.tip.hide();let e=Ca(this.hosts).filter(({slow:e})=>e||!this.onlySlow),t=Math.max(1,...this.hosts.map(({own_ns:e,wait_ns:t})=>e+t));this.child(`rows`).classList.toggle(`many`,e.length>Pa),this.child(`rows`).replaceChildren(...e.slice(0,Fa).map(e=>this.row(e,t)));let n=this.drawing={};e.length>Fa&&requestAnimationFrame(()=>setTimeout(()=>{this.drawing===n&&(this.child(`rows`).append(...e.slice(Fa).map(e=>this.row(e,t))),this.markChosen())},100))}row(e,t){let n=Ta(e),{drawing:r}=qr(wa(e),t,n,12),i=document.createElement(`li`),a=document.createElement(`button`);return a.className=`bare`,a.dataset.host=e.host,a.append(Ba(`host`,e.host)),e.slow&&a.append(Ba(`slow`,`▲ slow`)),a.addEventListener(`click`,()=>this.picked=e),a.addEventListener(`focus`,()=>this.tip?.show(i,n)),a.addEventListener(`blur`,()=>this.tip?.hide()),i.addEventListener(`pointerenter`,()=>this.tip?.show(i,n)),i.addEventListener(`pointerleave`,()=>this.tip?.hide()),i.append(a,r,Ba(`total`,O(e.own_ns))),i}drawSteps(){let{chosen:e,points:t}=this;if(!e||t.length===0)return;let n=t.map(ja),r=this.child(`steps`),{drawing:i,groups:a}=Sa(t,`Own time of ${e.host} and the median of the other hosts: ${n.join(`; `)}`);r.replaceChildren(i),new q(r).explain(i,a,n)}markChosen(){for(let e of this.child(`rows`).querySelectorAll(`button`))e.setAttribute(`aria-pressed`,String(e.dataset.host===this.chosen?.host))}};function Ba(e,t){let n=document.createElement(`span`);return n.className=e,n.textContent=t,n}customElements.define(`tfperf-hosts`,za);function Va({iterators:e,pipelines:t}){let n=t[0];return n?n.iterators.flatMap(t=>e[t]??[]):e}function Ha(e){let t=new Set(Va(e));return e.iterators.filter(e=>!t.has(e))}function Ua(e){let t=e.find(({stage:e})=>e===`transfer`);return e.map(e=>[e,t&&e.pipeline!==t.pipeline?t.depth+1+e.depth:e.depth])}function Y(e,t){return{head:e,cell:t,kind:`number`}}var Wa=[Y(`Works per batch`,e=>O(e.batch_ns)),Y(`Of the wait`,e=>A(e.wait_ratio)),Y(`At once`,Za),Y(`Ready`,Qa),Y(`Calls`,e=>M(e.calls_count)),Y(`Above 50 µs`,e=>M(e.slow_calls_count)),Y(`Own`,e=>O(e.self_ns)),Y(`Total`,e=>O(e.total_ns)),Y(`Element`,e=>e.element_bytes===null?``:j(e.element_bytes))],Ga=[{head:`Host`,cell:({host:e})=>e,kind:`name`},{head:`Iterator`,cell:({name:e})=>e,kind:`name`},{head:`Does`,cell:({stage:e})=>e},...Wa],Ka=class extends G{constructor(...e){super(...e),this.input=null}static{this.styles=L`
    :host {
      display: block;
    }
    .scroll {
      margin-top: 8px;
      max-height: 480px;
    }
    table {
      min-width: 900px;
    }
    th,
    td {
      padding-right: 9px;
    }
    th {
      background: var(--page);
      position: sticky;
      top: 0;
    }
    th:focus-within,
    th:hover {
      z-index: 1;
    }
    td.stage {
      box-shadow: inset 3px 0 transparent;
      min-width: 230px;
      padding-left: 10px;
    }
    th.stage {
      padding-left: 10px;
    }
    tr.path td.stage {
      box-shadow: inset 3px 0 var(--account-input);
    }
    tr.bottleneck td {
      background: var(--warning-ground);
    }
    .code {
      font:
        12.5px/1.5 ui-monospace,
        'Roboto Mono',
        'DejaVu Sans Mono',
        Menlo,
        Consolas,
        monospace;
      overflow-wrap: anywhere;
    }
    .badge {
      background: var(--warning);
      border-radius: 4px;
      color: var(--page);
      font-size: 12px;
      font-weight: 600;
      margin-left: 8px;
      padding: 0 6px;
      white-space: nowrap;
    }
    .legend i {
      border-left: 3px solid var(--account-input);
      height: 14px;
    }
    tfperf-table {
      margin-top: 8px;
    }
  `}static{this.properties={input:Object}}template(){let{input:e}=this,t=e?Va(e):[],n=e?Ha(e):[];return y`
      <h2>Input pipeline <small class="name">${qa(e)}</small></h2>
      <p class="name">${e?.sentence}</p>
      <div
        id="tree"
        class="scroll"
        tabindex="0"
        role="group"
        aria-label="Stages of the input pipeline, from the step to the files"
      >
        ${t.length>0?Ya(t):x}
      </div>
      <ul class="legend" ?hidden=${!e?.critical_path.length}>
        <li><i></i>on the critical path of the slowest request</li>
      </ul>
      <tfperf-table
        panel="input"
        .heading="Other pipelines: ${P(n.length,`iterator`)}"
        .columns=${Ga}
        .items=${n}
      ></tfperf-table>
    `}};function qa(e){let t=e?.pipelines[0];if(!t)return``;let n=new Set(e.iterators.map(({host:e})=>e)),r=t.batch_bytes===null?[]:[`${j(t.batch_bytes)} a batch`];return[...n.size>1?[t.host]:[],...r,`slowest request ${O(t.slowest_ns)}`].join(` · `)}var Ja=[{head:`Stage`,kind:`stage`},{head:`Does`},...Wa];function Ya(e){return y`<table>
    <thead>
      <tr>
        ${Ja.map(({head:e,kind:t})=>y`<th scope="col" class=${t??``}>${Mr(e,`input`)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${Ua(e).map(([e,t])=>y` <tr class="${e.on_critical_path?`path`:``} ${e.is_bottleneck?`bottleneck`:``}">
            <td class="stage" style="padding-left: ${10+12*Math.min(t,12)}px" title=${e.name}>
              <span class="unseen">level ${t+1}${e.on_critical_path?`, on the critical path`:``}: </span
              ><span class="code">${e.written}</span
              >${e.is_bottleneck?y`<span class="badge">bottleneck</span>`:x}
            </td>
            <td>${Xa(e)}</td>
            ${Wa.map(({cell:t})=>y`<td class="number">${t(e,0)}</td>`)}
          </tr>`)}
    </tbody>
  </table>`}function Xa({stage:e,filtered_ratio:t}){return t?`${e}, drops ${A(t)}`:e}function Za({at_once:e,parallelism:t,autotune:n}){let r=t===null?M(e):`${M(e)} of ${M(t)}`;return n&&t!==null?`${r}, tuned`:r}function Qa({buffered_elements:e,buffer_limit:t}){return e===null?t===null?``:`of ${M(t)}`:t===null?M(e):`${M(e)} of ${M(t)}`}customElements.define(`tfperf-input`,Ka);var $a=16,eo=8,to=512,no=.005,ro=class extends G{constructor(...e){super(...e),this.only=null,this.bars=0,this.open=!1,this.samples=new Map}static{this.styles=L`
    :host {
      display: block;
    }
    #chart {
      margin-top: 8px;
      position: relative;
    }
    .row {
      align-items: center;
      display: grid;
      gap: 12px;
      grid-template-columns: var(--label-width, 56px) 1fr 66px;
      margin-top: 7px;
    }
    .device {
      display: flex;
      font-size: 13px;
      gap: 6px;
      white-space: nowrap;
    }
    .host {
      color: var(--ink-2);
      overflow: hidden;
      text-overflow: ellipsis;
    }
    .total {
      font-size: 13px;
      font-variant-numeric: tabular-nums;
      text-align: right;
    }
    .row .found {
      cursor: pointer;
    }
    .legend button {
      border-radius: 4px;
      color: var(--accent);
      font-variant-numeric: tabular-nums;
      text-decoration: underline;
    }
    .legend button[aria-pressed='true'] {
      background: var(--info-ground);
      outline: 1px solid var(--accent);
      outline-offset: 2px;
    }
    .idle {
      margin-top: 8px;
    }
    .why {
      margin: 8px 0 0;
      padding-left: 18px;
    }
    details {
      margin-top: 10px;
    }
    td.inner {
      padding-left: 18px;
      color: var(--ink-2);
    }
    tr.sum td {
      font-weight: 600;
    }
    .more {
      margin-top: 10px;
    }
    th:first-child,
    td:first-child {
      background: var(--page);
      left: 0;
      position: sticky;
    }
    th.number {
      min-width: 64px;
      white-space: normal;
    }
  `}static{this.properties={report:Object,only:String,bars:Number,open:Boolean}}changed(e){`report`in e&&(this.open=!1,this.bars=(this.report.ledger?.devices_total??0)>$a?eo:$a)}template(){let{report:e,bars:t}=this,{ledger:n}=e,r=n?.devices_total??0,i=r===1?``:r>$a?`one row a GPU, slowest first, `:`one row a GPU, `,a=n?lo(e):``,o=n?fo(n):``,s=uo(e);return y`
      <h2>
        Where a <tfperf-term word="step"></tfperf-term> goes
        <small>${n?`${i}average of ${P(e.steps.count,`step`)}`:x}</small>
      </h2>
      <p class="note" ?hidden=${n}>${n?``:co(e)}</p>
      <div ?hidden=${!n}>
        <div id="chart"><div id="rows"></div></div>
        <button class="button more" ?hidden=${r<=t} @click=${()=>this.bars+=to}>
          ${r-t>to?`Show ${to} more of`:`Show all`} ${P(r,`GPU`)}
        </button>
        <p class="note idle name" ?hidden=${!a}>${a}</p>
        <ul id="legend" class="legend" aria-label="Shares of an average step">
          ${n?this.legend(n):x}
        </ul>
        <p class="note idle" ?hidden=${!o}>${o}</p>
        <ul id="why" class="note why" aria-label="Why the GPUs are idle" ?hidden=${s.length===0}>
          ${s.map(e=>y`<li class="name"><tfperf-text .text=${e}></tfperf-text></li>`)}
        </ul>
        <details .open=${this.open} @toggle=${this.onTable}>
          <summary>The numbers as a table</summary>
          ${this.open&&n?this.table(n):x}
        </details>
      </div>
    `}drawn(e){let{ledger:t}=this.report;t&&(`report`in e||`bars`in e)&&this.drawRows()}get devices(){return this.report.ledger?.devices??[]}get shown(){return this.devices.slice(0,this.bars)}get averaged(){let{ledger:e}=this.report;return e!==null&&e.devices_total>1&&e.compute_parts.length>0}get drawnRows(){let{ledger:e}=this.report,{shown:t}=this;return e?this.averaged?[hi(e),...t.map(t=>({...t,accounts:mi(t.accounts,e)}))]:e.devices_total===1?t.map(t=>({...t,accounts:pi(e)})):t:[]}legend(e){let{findings:t}=this.report,n=Bt(t),r=Vt(this.only,t),i=({id:e,ratio:t})=>{let i=gi(e);if(!n.has(i))return A(t);let a=`${A(t)} ${w(e).words}: show only the findings that take time from it`;return y`<button
        class="bare"
        aria-pressed=${r.includes(i)}
        aria-label=${a}
        @click=${()=>this.choose(i)}
      >
        ${A(t)}
      </button>`},a=new Set(this.shown.flatMap(({accounts:e})=>e.filter(io)).map(({id:e})=>e));return T([...this.averaged?mi(e.accounts,e).filter(({id:e})=>e===`compute.undivided`):[],...pi(e)]).filter(e=>io(e)||a.has(e.id)).map(e=>y`<li>
            ${this.sample(e.id)}<span
              ><tfperf-text .text=${w(e.id).words}></tfperf-text> ${i(e)}</span
            >
          </li>`)}sample(e){let t=this.samples.get(e)??qn(w(e));return this.samples.set(e,t),t}choose(e){K(this,`filter`,{only:Ut(this.only,e)})}onTable(e){this.open=e.target.open}table(e){let t=this.devices.slice(0,Math.max(this.bars,$a)),n=this.report.hosts.length>1,r=(e,t,n)=>y`
      <tr class=${e}>
        <td class=${e}>${t}</td>
        ${n.map(e=>y`<td class="number">${e}</td>`)}
      </tr>
    `,i=({id:e,ns:n,ratio:i},a)=>r(a,w(e).words,[O(n),A(i),...t.map(({accounts:t})=>a?``:O(t.find(t=>t.id===e)?.ns??0))]),a=[O(e.step_ns),A(1),...t.map(({step_ns:e})=>O(e))];return y`
      <div class="scroll" tabindex="0" aria-label="The numbers as a table">
        <table>
          <thead>
            <tr>
              <th>Account</th>
              ${[`average`,`share`,...t.map(e=>oo(e,n))].map(e=>y`<th class="number">${e}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${T(e.accounts).map(t=>[i(t,``),t.id===`compute`?[T(pi(e).filter(({id:e})=>gi(e)!==e)),T(e.compute)].map(e=>e.map(e=>i(e,`inner`))):x])}
            ${r(`sum`,`step`,a)}
          </tbody>
        </table>
      </div>
    `}drawRows(){let e=this.drawnRows,t=Math.max(...e.map(({step_ns:e})=>e),1),n=this.report.hosts.length>1;this.tip??=new q(this.child(`chart`)),this.tip.hide();let r=new Kn,i=Bt(this.report.findings),a=Math.max(...e.map(e=>oo(e,n).length));this.style.setProperty(`--label-width`,n?`min(220px, ${a}ch)`:`56px`),this.child(`rows`).replaceChildren(...e.map(e=>this.row(e,t,n,r,i)))}row(e,t,n,r,i){let a=T(e.accounts),o=oo(e,n),s=a.map(e=>so(e)),{drawing:c,segments:l}=qr(a.map(({id:e,ns:t})=>({look:w(e),ns:t})),t,`${o}, ${O(e.step_ns)}: ${s.join(`; `)}`,20,r),u=e=>i.has(gi(e))?`. Click: only its findings`:``;this.tip?.explain(c,l,s.map((e,t)=>`${o}: ${e}${u(a[t]?.id??``)}`)),a.forEach((e,t)=>{let n=gi(e.id);i.has(n)&&(l[t]?.classList.add(`found`),l[t]?.addEventListener(`click`,()=>this.choose(n)))});let d=document.createElement(`div`);d.className=`row`;let f=ao(`device`,``);return f.title=`${e.host} ${F(e.device)}`.trim(),n&&e.host&&f.append(ao(`host`,e.host)),f.append(ao(``,F(e.device))),d.append(f,c,ao(`total`,O(e.step_ns))),d}};function io({ratio:e}){return e>=no}function ao(e,t){let n=document.createElement(`span`);return n.className=e,n.textContent=t,n}function oo(e,t){return t&&e.host?`${e.host} ${F(e.device)}`:F(e.device)}function so({id:e,ns:t,ratio:n}){return`${w(e).words}, ${O(t)}, ${A(n)} of the step`}function co({gpus:e,steps:t}){return e.total===0?`No GPU was recorded in this profile, so there is no GPU time to divide. What the host shows is judged below.`:t.count===0?`No complete step can be told in this profile, so GPU time cannot be divided among steps.`:`Nothing was recorded on the GPUs during the steps of this profile.`}function lo({gpus:e,hosts:t}){let n=(e,n,r)=>{let i=e.map(e=>oo(e,t.length>1));return n?`${i.join(`, `)}${n>i.length?` …`:``}: ${r}.`:``};return[n(e.idle,e.idle_total,`ran no kernel`),n(e.unrecorded,e.unrecorded_total,`no kernel was recorded`)].filter(Boolean).join(` `)}function uo({idle:e}){return e.filter(({sentence:e})=>e).map(({account:e,ns:t,sentence:n})=>`${O(t)} ${w(e).words}: ${n}`)}function fo(e){let{hidden_communication_ns:t,hidden_copy_ns:n}=e,r=[t>0?`${O(t)} of communication`:``,n>0?`${O(n)} of copies`:``].filter(Boolean);return r.length===0?``:`Hidden under compute, so they cost nothing: ${r.join(` and `)} per step.`}customElements.define(`tfperf-ledger`,ro);var po=18,mo=130,ho=1e3,go=6;function _o(e,t){let{at_ms:n,used_bytes:r}=e.points,i=e=>e/Math.max(r.length,1),a=t=>po+mo*(1-t/e.capacity_bytes),o=r.map((e,t)=>`${t===0?`M`:`H`}${(i(t)*ho).toFixed(2)}${t===0?` `:`V`}${a(e).toFixed(2)}`).join(``),s=V(`svg`,{width:`100%`,height:148,viewBox:`0 0 ${ho} 148`,preserveAspectRatio:`none`},V(`path`,{d:`${o}H${ho}V148H0Z`,class:`area`}),V(`path`,{d:`${o}H${ho}`,class:`line`,"vector-effect":`non-scaling-stroke`})),c=e=>`${(100*e).toFixed(3)}%`,l=r.map((e,t)=>V(`g`,{},V(`rect`,{x:c(i(t)),y:po,width:c(i(1)),height:mo,class:`slot`}),V(`circle`,{cx:c(i(t)),cy:a(e),r:3,class:`point`}))),u=i(Math.max(0,r.indexOf(e.recorded_peak_bytes))),d=a(e.before_bytes),f=r.length<go?r.keys():Array.from({length:go},(e,t)=>Math.floor(t*r.length/go));return{drawing:V(`svg`,{width:`100%`,height:170,role:`img`,"aria-label":t},...B(e.capacity_bytes).map(e=>V(`g`,{},V(`line`,{x1:0,x2:`100%`,y1:a(e),y2:a(e),class:`grid`}),V(`text`,{x:0,dx:-8,y:a(e)+4,class:`tick end`},e===0?`0`:j(e)))),s,...e.before_bytes>0?[V(`line`,{x1:0,x2:`100%`,y1:d,y2:d,class:`before`})]:[],V(`line`,{x1:0,x2:`100%`,y1:po,y2:po,class:`capacity`}),V(`text`,{x:`100%`,y:12,class:`tick end`},`capacity ${j(e.capacity_bytes)}`),V(`circle`,{cx:c(u),cy:a(e.recorded_peak_bytes),r:4,class:`peak`}),V(`text`,{x:c(u),dx:u>.5?-8:8,y:Math.max(30,a(e.recorded_peak_bytes)-6),class:u>.5?`mark end`:`mark`},`peak ${j(e.recorded_peak_bytes)}`),...l,...[...f].map(e=>V(`text`,{x:c(i(e)),y:164,class:`tick start`},k(n[e]??0)))),groups:l}}var vo=10;function yo({batch_growth:e},t,n){let r=A(t.peak_bytes/t.capacity_bytes),i=t.peak_bytes>t.recorded_peak_bytes?` (before the recording; during it ${j(t.recorded_peak_bytes)})`:``,a=`${F(t.device)} uses ${j(t.peak_bytes)} of ${j(t.capacity_bytes)} at the peak, ${r}${i}.`,[o]=t.alive,s=o?` Of what was allocated since then, ${Zt(o.op||`an op that is not named`)} holds the most: ${j(o.size_bytes)}.`:``,c=` ${j(t.before_bytes)} were there before the recording, as weights and optimizer state are.`;return!n||e===null||e<=1?a+c+s:`${a}${c}${s} By proportion a batch ${e>vo?`more than ${vo} times`:N(e,`times`).replace(`×`,`times`)} as large fits, with a tenth left free; convergence may change.`}function bo(e){let t=e.capacity_bytes-e.recorded_peak_bytes;return`${e.fragmentation_ratio===null||e.free_block_bytes===null?`How broken up the free memory is was not recorded.`:`Of the ${j(t)} free at the recorded peak, ${j(e.free_block_bytes)} are in one piece (fragmentation ${A(e.fragmentation_ratio)}).`}${{address:``,order:` Blocks are matched by size and order: addresses were not recorded.`,none:` What is alive cannot be told: sizes were not recorded.`}[e.matched]}`}function xo({points:{at_ms:e,used_bytes:t}}){return t.map((t,n)=>`${j(t)} in use at ${k(e[n]??0)}`)}var So=[{head:`Op`,cell:({op:e})=>e||`not named`,kind:`name`,value:({op:e})=>e},{head:`In use`,cell:({size_bytes:e})=>j(e),kind:`number`,value:({size_bytes:e})=>e},{head:`Blocks`,cell:({count:e})=>e>0?M(e):``,kind:`number`,value:({count:e})=>e}],Co=[{head:`GPU`,cell:({host:e,device:t})=>`${e} ${F(t)}`,kind:`name`,value:({host:e,device:t})=>`${e} ${t}`},{head:`Peak`,cell:({peak_bytes:e})=>j(e),kind:`number`,value:({peak_bytes:e})=>e},{head:`Capacity`,cell:({capacity_bytes:e})=>j(e),kind:`number`,value:({capacity_bytes:e})=>e},{head:`Share`,cell:e=>A(e.peak_bytes/e.capacity_bytes),kind:`number`,value:e=>e.peak_bytes/e.capacity_bytes},{head:`Least in use`,cell:({lasting_bytes:e})=>j(e),kind:`number`,value:({lasting_bytes:e})=>e},{head:`Largest free block at the peak`,cell:({free_block_bytes:e})=>e===null?`not recorded`:j(e),kind:`number`,value:({free_block_bytes:e})=>e}],wo=class extends G{constructor(...e){super(...e),this.chosen=0}static{this.styles=L`
    :host {
      display: block;
    }
    select {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      padding: 4px 8px;
    }
    label {
      align-items: center;
      display: flex;
      font-size: 13px;
      gap: 8px;
      margin: 6px 0;
    }
    #chart {
      margin-top: 8px;
      padding: 0 4px 0 60px;
      position: relative;
    }
    #chart svg {
      display: block;
      overflow: visible;
    }
    .area {
      fill: var(--account-copy);
      opacity: 0.25;
    }
    .line {
      fill: none;
      stroke: var(--account-copy);
      stroke-width: 1.5;
    }
    .grid {
      stroke: var(--line);
    }
    .capacity {
      stroke: var(--ink);
      stroke-width: 1.2;
    }
    .before {
      stroke: var(--ink-2);
      stroke-dasharray: 5 4;
    }
    .peak {
      fill: var(--critical);
    }
    .mark {
      fill: var(--ink);
      font-size: 12px;
      paint-order: stroke;
      stroke: var(--page);
      stroke-width: 3px;
    }
    .tick {
      fill: var(--ink-2);
      font-size: 11.5px;
      text-anchor: middle;
    }
    .tick.start {
      text-anchor: start;
    }
    .end {
      text-anchor: end;
    }
    .slot,
    .point {
      fill: transparent;
    }
    g.on .point {
      fill: var(--ink);
    }
    .legend {
      padding-left: 60px;
    }
    .legend i {
      border-top: 2px solid var(--account-copy);
      width: 18px;
    }
    .legend i.dashed {
      border-top: 2px dashed var(--ink-2);
    }
    .tables {
      margin-top: 8px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
  `}static{this.properties={memory:Object,chosen:Number}}get gpu(){return this.memory.devices[this.chosen]}changed(e){`memory`in e&&(this.chosen=0)}template(){let{memory:e,gpu:t,chosen:n}=this,{devices:r,devices_total:i}=e,a=r.length<i?`the fullest ${r.length} of `:``,o=new Set(r.map(({host:e})=>e)),s=({host:e,device:t})=>`${o.size>1?`${e} `:``}${F(t)}`;return y`
      <h2>
        GPU memory <small>${a}${P(i,`GPU`)}, as the framework’s allocator recorded it</small>
      </h2>
      <p class="name">${To(e,t)}</p>
      <label ?hidden=${r.length<2}
        >GPU
        <select id="choice" @change=${this.onChoice}>
          ${r.map((e,t)=>y`<option .value=${String(t)} .selected=${t===n}>${s(e)}</option>`)}
        </select>
      </label>
      <div id="chart"></div>
      <ul class="legend" aria-label="Lines">
        <li><i></i>in use</li>
        <li ?hidden=${!t.before_bytes}>
          <i class="dashed"></i>allocated before the recording and still in use at the peak
        </li>
      </ul>
      <p class="note">
        Events of the allocator in their order; their times, below the chart, are not to scale. In TensorFlow memory is
        allocated when work is launched, ahead of the GPU. ${bo(t)}
      </p>
      <div class="tables">
        <tfperf-table
          panel="memory"
          heading="What is in use at the peak"
          .columns=${So}
          .items=${Eo(t)}
          .note=${Do(t)}
        ></tfperf-table>
        <tfperf-table panel="memory" heading="Each GPU" .columns=${Co} .items=${r}></tfperf-table>
      </div>
    `}drawn(){let{memory:e,gpu:t}=this,{drawing:n,groups:r}=_o(t,`Memory in use over time. ${To(e,t)}`),i=this.child(`chart`);i.replaceChildren(n),new q(i).explain(n,r,xo(t))}onChoice(e){this.chosen=e.target.selectedIndex}};function To(e,t){return yo(e,t,t===e.devices[0])}function Eo(e){let t={op:`allocated before the recording`,size_bytes:e.before_bytes,count:0};return e.before_bytes>0?[t,...e.alive]:e.alive}function Do({alive:e,alive_total:t}){return t>e.length?`The ${M(e.length)} ops that hold the most, of ${M(t)}.`:``}customElements.define(`tfperf-memory`,wo);var Oo=`import tensorflow as tf

tensorboard = tf.keras.callbacks.TensorBoard("LOGDIR", profile_batch=(10, 20))
model.fit(data, epochs=1, callbacks=[tensorboard])`,ko=`import tensorflow as tf

for step in range(30):
    if step == 10:
        tf.profiler.experimental.start("LOGDIR")
    with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        batch = next(batches)
        train_step(batch)
tf.profiler.experimental.stop()`,Ao=class extends G{static{this.styles=L`
    :host {
      display: block;
      max-width: 760px;
      padding: 40px 0;
    }
    h1 {
      font-size: 26px;
      font-weight: 400;
      line-height: 1.3;
    }
    p {
      margin-top: 8px;
    }
    tfperf-code {
      margin-top: 12px;
    }
    .button {
      margin-top: 18px;
    }
  `}template(){return y`
      <h1>No profiles in this log directory yet</h1>
      <p>
        Record ten or so steps after the first ones, which trace and compile. Write them to the directory that
        TensorBoard reads (LOGDIR below).
      </p>
      <tfperf-code framework="Keras" .code=${Oo}></tfperf-code>
      <tfperf-code framework="Custom training loop" .code=${ko}></tfperf-code>
      <p class="note">
        The batch is fetched inside the Trace block, so that waiting for input counts as part of the step.
      </p>
      <button class="button accent" @click=${()=>K(this,`retry`)}>Look again</button>
    `}};customElements.define(`tfperf-no-profiles`,Ao);var jo=44;function Mo(e){let t=Zt(e,jo);if(!e)return`not named`;let n=document.createElement(`span`);return n.textContent=t,n.className=`elided`,t===e||(n.title=e,n.tabIndex=0,n.addEventListener(`focus`,()=>n.textContent=e),n.addEventListener(`blur`,()=>n.textContent=t)),n}var No={phase:``,text:``};function X(e,t,n){return{head:e,cell:e=>{let r=t(e);return r===null?``:n(r)},value:t,kind:`number`}}function Z(e,t){return{head:e,cell:t,value:t}}function Po(e,t){return{head:e,cell:e=>Mo(t(e)),value:t,kind:`name`}}var Fo=[X(`Per step`,({ns:e})=>e,O),X(`Share`,({ratio:e})=>e,A)],Io=[Z(`Phase`,({phase:e})=>Jt(e)),X(`Launches`,({count_per_step:e})=>e,M),X(`Mean`,({mean_ns:e})=>e,O),X(`Shortest`,({min_ns:e})=>e,O),X(`Longest`,({max_ns:e})=>e,O)],Lo=[X(`To win`,an,O),X(`TFLOP/s`,nn,Tt),X(`Of the bound`,rn,A),Z(`Bound by`,({bound_by:e})=>e)],Ro=[...Fo,...Lo,Po(`Op`,e=>e.name),Z(`Type`,({type:e})=>e),...Io,X(`Kernels`,({kernels:e})=>e,M),Z(`Format`,({format:e})=>e),Z(`Why not judged`,({not_judged:e})=>e)],zo=[...Fo,Z(`Type`,({type:e})=>e||`not named`),...Io.slice(0,3),X(`Ops`,({ops:e})=>e,M)],Bo=[...Fo,...Lo,Po(`Kernel`,e=>e.name),Po(`Op`,({op:e})=>e),...Io,Z(`Class`,({kernel_class:e})=>e),Z(`Precision`,({precision:e})=>e),Z(`Tensor Cores`,en),X(`Registers`,({registers:e})=>e,M),X(`Shared memory`,({shared_bytes:e})=>e,j),Z(`Grid`,({grid:e})=>e),Z(`Block`,({block:e})=>e),X(`Occupancy`,({occupancy_ratio:e})=>e,A)],Vo=Uo(Ro),Ho=Uo(Bo);function Uo(e){let t=[...Lo.map(({head:e})=>e),`Format`,`Why not judged`];return e.filter(({head:e})=>!t.includes(e))}var Wo=[Po(`Op`,e=>e.name),Z(`Type`,({type:e})=>e),X(`Own time`,({self_ns:e})=>e,O),X(`Time`,({ns:e})=>e,O),X(`Calls`,({calls_per_step:e})=>e,M)],Go=`No kernels can be given to steps in this profile; the host’s ops are below.`,Ko=class extends G{constructor(...e){super(...e),this.filter=No}static{this.styles=L`
    :host {
      display: block;
    }
    .tools {
      display: flex;
      flex-wrap: wrap;
      gap: 8px 20px;
      margin: 8px 0;
    }
    label {
      align-items: center;
      display: flex;
      font-size: 13px;
      gap: 8px;
    }
    input,
    select {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      padding: 4px 8px;
    }
    input {
      width: 220px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
  `}static{this.properties={report:Object,filter:Object}}changed(e){`report`in e&&(this.filter=No)}template(){let{filter:e,report:t}=this,n=(t.phases?.items??[]).filter(({ns:e})=>e>0),r=Qt(t.ops?.types??[],e,({type:e})=>[e]),i=Qt(t.ops?.rows??[],e,({name:e,type:t})=>[e,t]),a=Qt(t.kernels?.rows??[],e,e=>[e.name,e.op,e.kernel_class,e.precision]),o=Qt(t.host_ops?.rows??[],{...e,phase:``},({name:e,type:t})=>[e,t]),s=[...t.ops?.rows??[],...t.kernels?.rows??[]].some(e=>e.flops!==null||e.floor_ns!==null),c=e.phase===``&&e.text.trim()===``?``:`${P(i.length,`op`)}, ${P(a.length,`kernel`)} and ${P(o.length,`op`)} on the host match.`;return y`
      <h2>Ops and kernels <small>per step and GPU</small></h2>
      <p class="name">${t.ops?$t(t.ops):Go}</p>
      <div class="tools">
        <label ?hidden=${n.length===0}
          >Phase
          <select id="phase" @change=${this.onFilter}>
            <option value="">all</option>
            ${n.map(({id:e})=>y`<option .value=${e}>${I(e).words}</option>`)}
          </select>
        </label>
        <label
          >Search
          <input
            id="text"
            type="search"
            autocomplete="off"
            spellcheck="false"
            placeholder="name or type"
            @input=${this.onFilter}
        /></label>
        <span class="note" role="status">${c}</span>
      </div>
      <tfperf-table
        panel="ops"
        .heading="Types of ops (${r.length})"
        .columns=${zo}
        .items=${r}
      ></tfperf-table>
      ${qo(`ops`,`Ops on the GPUs`,s?Ro:Vo,i,t.ops)}
      ${qo(`kernels`,`Kernels`,s?Bo:Ho,a,t.kernels)}
      ${qo(`hostOps`,`Ops on the host`,Wo,o,t.host_ops)}
    `}drawn(e){`report`in e&&(this.field(`phase`).value=``,this.field(`text`).value=``)}field(e){return this.child(e)}onFilter(){this.filter={phase:this.field(`phase`).value,text:this.field(`text`).value}}};function qo(e,t,n,r,i){let a=i?.rows.length??0;return y`<tfperf-table
    panel="ops"
    id=${e}
    .heading=${`${t} (${r.length<a?`${M(r.length)} of `:``}${M(a)})`}
    .columns=${n}
    .items=${r}
    .note=${i&&i.total>a?`The ${M(a)} with the most time of ${M(i.total)}.`:``}
  ></tfperf-table>`}customElements.define(`tfperf-ops`,Ko);var Jo=[{head:`Phase`,cell:({id:e})=>I(e).words},{head:`Per step`,cell:({ns:e})=>O(e),kind:`number`},{head:`Share of compute`,cell:({ratio:e})=>A(e),kind:`number`}],Yo=`Told from the name scopes of ops, averaged over steps and GPUs. Where kernels overlap, the time belongs to the one that began first, so phases add up to the compute time above.`,Xo=class extends G{static{this.styles=L`
    :host {
      display: block;
    }
    #chart {
      margin-top: 8px;
      position: relative;
    }
    tfperf-table {
      margin-top: 8px;
    }
  `}static{this.properties={phases:Object}}template(){let{phases:e}=this,t=Zo(e);return y`
      <h2>Compute by phase</h2>
      <p class="note">${Xt(e)}</p>
      <div ?hidden=${!e.items}>
        <div id="chart"></div>
        <ul id="legend" class="legend" aria-label="Phases, shares of compute">
          ${t.map(({id:e,ratio:t})=>H(I(e),`${I(e).words} ${A(t)}`))}
        </ul>
        <tfperf-table heading="The phases as a table" .columns=${Jo} .items=${t} note=${Yo}></tfperf-table>
      </div>
    `}drawn(){let e=Zo(this.phases);if(e.length===0)return;let t=e.map(Yt),{drawing:n,segments:r}=qr(e.map(({id:e,ns:t})=>({look:I(e),ns:t})),Math.max(1,e.reduce((e,{ns:t})=>e+t,0)),`Compute by phase: ${t.join(`; `)}`,14),i=this.child(`chart`);i.replaceChildren(n),new q(i).explain(n,r,t)}};function Zo({items:e}){return e?.filter(({ns:e})=>e>0)??[]}customElements.define(`tfperf-phases`,Xo);var Qo={xspace:`Reading the profile`,trace:`Sorting events into kernels, copies and host work`,steps:`Finding the steps`,ledger:`Dividing each step among its causes`,rules:`Checking the rules`,report:`Writing the report`},$o=class extends G{constructor(...e){super(...e),this.progress=null}static{this.styles=L`
    :host {
      display: block;
      padding: 40px 0;
    }
    h1 {
      font-size: 20px;
      font-weight: 400;
    }
    progress {
      accent-color: var(--accent);
      display: block;
      height: 8px;
      margin: 14px 0 6px;
      max-width: 420px;
      width: 100%;
    }
    button {
      margin-top: 14px;
    }
  `}static{this.properties={progress:Object}}template(){let{progress:e}=this;return y`
      <h1>
        <span role="status">${e?es(e):`Loading`} …</span>
      </h1>
      ${e?ts(e,()=>K(this,`cancel`)):x}
    `}};function es({stage:e,waits_for:t}){return t?`Waiting for the analysis of ${t.join(` and `)}`:Qo[e]??`Analyzing the profile`}function ts({share:e,hosts_done_count:t,hosts_count:n},r){return y`
    <progress max="1" .value=${e} aria-label="Share of the analysis that is done"></progress>
    <p class="note">${t===void 0||!n?``:`Host ${Math.min(t+1,n)} of ${n}. `}${A(e)} done. A large profile takes some seconds once; the result is kept.</p>
    <button class="button" @click=${r}>Cancel</button>
  `}customElements.define(`tfperf-progress`,$o);var ns=22,rs=300,is=15,as=3,os=15;function ss(e,t,n){let r=on(e,t),{x:i,y:a}=cn(e,r,t),o=e=>`${(100*Vn(e,...i)).toFixed(4)}%`,s=e=>Number((ns+rs*(1-Vn(e,...a))).toFixed(2)),c=Math.max(1,...e.map(({op:e})=>e.ns)),l=e.map(e=>V(`g`,{class:`dot`,role:`img`,tabindex:-1},V(`circle`,{cx:o(e.intensity),cy:s(e.rate),r:Math.max(as,is*Math.sqrt(e.op.ns/c)).toFixed(2)}))),u=(e,t,n)=>V(`line`,{class:e,x1:o(t[0]),y1:s(t[1]),x2:o(n[0]),y2:s(n[1])}),d=[...Bn(...i).map(e=>V(`g`,{},u(`grid`,[e,a[0]],[e,a[1]]),V(`text`,{class:`tick`,x:o(e),y:338},M(e)))),...Bn(...a).map(e=>V(`g`,{},u(`grid`,[i[0],e],[i[1],e]),V(`text`,{class:`tick end`,x:0,dx:-8,y:s(e)+4},wt(e).replace(`.0`,``))))];return{drawing:V(`svg`,{width:`100%`,height:360,role:`group`,"aria-label":n},...d,V(`text`,{class:`tick`,x:`50%`,y:356},`arithmetic intensity, FLOP per byte`),...f(r,t.bytes_per_s,`limit`),...f(r.map(e=>({...e,flops_per_s:e.flops_per_s*e.reached_ratio})),t.bytes_per_s*t.bytes_reached_ratio,`limit reached`),...r.map(e=>V(`rect`,{class:`ridge`,x:o(sn(e,t)),y:s(e.flops_per_s),width:8,height:8})),...l,...p()),groups:l};function f(e,t,n){let r=e.map(({flops_per_s:e})=>e/t),o=Math.max(i[0],a[0]/t),s=Math.max(...r);return[...s>o?[u(n,[o,o*t],[s,s*t])]:[],...e.map(({flops_per_s:e},t)=>u(n,[Math.min(r[t]??0,i[1]),e],[i[1],e]))]}function p(){let e=Hn(r.map(({flops_per_s:e})=>s(e)-7),os,322),n=Math.max(i[0],a[0]/t.bytes_per_s),c=Math.sqrt(n*Math.min(...r.map(e=>sn(e,t))));return[...r.map(({format:t,flops_per_s:n},r)=>V(`text`,{class:`mark end`,x:`100%`,dx:-4,y:e[r]??0},`${t} ${wt(n)}`)),V(`text`,{class:`mark end`,x:o(c),y:s(c*t.bytes_per_s)-10},`memory ${N(t.bytes_per_s/1e9,`GB/s`)}`)]}}function cs(e,t,n){return{head:e,cell:e=>{let r=t(e);return r===null?``:n(r)},value:t,kind:`number`}}var ls=({op:e})=>e.name||e.type,us=[cs(`Per step`,({op:e})=>e.ns,O),cs(`Share`,({op:e})=>e.ratio,A),cs(`Intensity`,e=>e.intensity,Et),cs(`Rate`,({rate:e})=>e,wt),cs(`Of the bound`,({op:e})=>rn(e),A),{head:`Bound by`,cell:({op:e})=>e.bound_by,value:({op:e})=>e.bound_by},{head:`Format`,cell:({op:e})=>e.format,value:({op:e})=>e.format},{head:`Op`,cell:e=>Mo(ls(e)),value:ls,kind:`name`}],ds=class extends G{constructor(...e){super(...e),this.dots=[]}static{this.styles=L`
    :host {
      display: block;
    }
    #chart {
      margin-top: 10px;
      padding: 0 14px 0 96px;
      position: relative;
    }
    #chart svg {
      display: block;
      overflow: visible;
    }
    .grid {
      stroke: var(--line);
    }
    .tick {
      fill: var(--ink-2);
      font-size: 11.5px;
      text-anchor: middle;
    }
    .end {
      text-anchor: end;
    }
    .limit {
      stroke: var(--ink);
      stroke-width: 1.5;
    }
    .limit.reached {
      stroke: var(--ink-2);
      stroke-dasharray: 5 4;
      stroke-width: 1;
    }
    .ridge {
      fill: var(--ink);
      transform: translate(-4px, -4px) rotate(45deg);
      transform-box: fill-box;
      transform-origin: center;
    }
    .mark {
      fill: var(--ink);
      font-size: 12px;
      paint-order: stroke;
      pointer-events: none;
      stroke: var(--page);
      stroke-width: 3px;
    }
    .dot {
      cursor: pointer;
    }
    .dot circle {
      fill: var(--accent);
      fill-opacity: 0.45;
      stroke: var(--accent);
    }
    .dot.on circle {
      fill-opacity: 0.9;
      stroke: var(--ink);
      stroke-width: 2.5;
    }
    .legend {
      padding-left: 96px;
    }
    .legend i {
      border-top: 2px solid var(--ink);
      width: 18px;
    }
    .legend i.dashed {
      border-top: 2px dashed var(--ink-2);
    }
    .legend i.ridge-mark {
      background: var(--ink);
      border: 0;
      height: 8px;
      margin: 0 5px;
      transform: rotate(45deg);
      width: 8px;
    }
    .legend i.op {
      background: color-mix(in srgb, var(--accent) 45%, var(--page));
      border: 1px solid var(--accent);
      border-radius: 50%;
      height: 12px;
      width: 12px;
    }
    .note {
      margin-top: 8px;
    }
    tfperf-table {
      margin-top: 8px;
    }
  `}static{this.properties={report:Object}}changed(e){`report`in e&&(this.dots=tn(this.report.ops?.rows??[]))}template(){let{report:e,dots:t}=this,{ops:n,roofline:r}=e;if(!r||!n)return y`<h2><tfperf-term word="Roofline"></tfperf-term></h2>
        <p class="note name">${pn(e)}</p>`;let i=t.length>0;return y`
      <h2><tfperf-term word="Roofline"></tfperf-term> <small>ops on ${r.name}, per step and GPU</small></h2>
      <p class="name">
        <tfperf-text .text=${i?un(t,n):fs}></tfperf-text>
      </p>
      <div ?hidden=${!i}>
        <div id="chart"></div>
        <ul class="legend" aria-label="Marks">
          <li><i class="op"></i>an op; its area is its time</li>
          <li><i></i>peaks of the data sheet</li>
          <li><i class="dashed"></i>what good libraries reach</li>
          <li>
            <i class="ridge-mark"></i
            ><span><tfperf-term word="ridge point"></tfperf-term>: memory to the left, arithmetic to the right</span>
          </li>
        </ul>
        <p class="note name">${i?dn(on(t,r),r):``} ${ps(r)}</p>
        <tfperf-table
          panel="compute"
          .heading=${`The roofline as a table (${M(t.length)})`}
          .columns=${us}
          .items=${t}
        ></tfperf-table>
      </div>
    `}drawn(e){let{dots:t,report:n}=this;if(!(`report`in e)||!n.roofline||!n.ops||t.length===0)return;let{drawing:r,groups:i}=ss(t,n.roofline,`Ops by arithmetic intensity and rate; arrow keys go from op to op`),a=this.child(`chart`);a.replaceChildren(r);let o=new q(a),s=t.map(ln);i.forEach((e,n)=>{e.setAttribute(`aria-label`,s[n]??``),e.addEventListener(`focus`,()=>{for(let t of i)t.setAttribute(`tabindex`,t===e?`0`:`-1`);o.show(e,s[n]??``)}),e.addEventListener(`blur`,()=>o.hide()),e.addEventListener(`pointerenter`,()=>o.show(e,s[n]??``)),e.addEventListener(`pointerleave`,()=>o.hide()),e.addEventListener(`keydown`,e=>{e.key===`Escape`&&o.hide();let r=hn(t,n,e.key);r!==null&&(e.preventDefault(),i[r]?.focus())})}),i[0]?.setAttribute(`tabindex`,`0`)}},fs=`Of no op the profile tells how many floating-point operations it does and how many bytes it moves.`;function ps({source:e,reached_source:t}){return[e&&`Peaks: ${e}.`,t&&`What libraries reach: ${t}.`].filter(Boolean).join(` `)}customElements.define(`tfperf-roofline`,ds);var ms=132,hs=16,gs=120,_s=24;function vs(e,t,n){let r=Math.max(...e.map(({step_ns:e})=>e),1),i=new Kn,a=e=>e/r*ms,o=100/e.length,s=e=>`${e.toFixed(3)}%`,c=Math.ceil(e.length/_s),l=e.map((r,l)=>{let u={x:s((l+.1)*o),width:s(.8*o)},d={x:s((l+.5)*o),"text-anchor":`middle`},f=V(`g`,{role:`option`,id:`step-${l}`,"aria-label":t[l]??``,"aria-selected":`false`});f.append(V(`rect`,{class:`ground`,x:s(l*o),width:s(o),y:0,height:168}));let p=V(`g`,{class:r.judged?`bar`:`bar out`}),m=148;for(let{id:t,ns:n}of bs(r)){m-=a(n);let r=w(t);p.append(i.fill(e.length>gs?{...r,pattern:`solid`}:r,{...u,y:m,height:a(n)}))}return f.append(p),r.outlier&&f.append(V(`text`,{...d,class:`outlier`,y:m-4},`◆`)),n.has(r.id)&&f.append(V(`rect`,{class:`mark`,...u,y:150,height:3})),l%c===0&&f.append(V(`text`,{...d,class:`number`,y:166},String(r.number))),f}),u=B(r/1e6).flatMap(e=>{let t=148-a(e*1e6);return[V(`line`,{class:`tick`,x1:0,x2:`100%`,y1:t,y2:t})]});return{drawing:V(`svg`,{width:`100%`,height:168,role:`listbox`,tabindex:0,"aria-label":`Steps`},i.defs,...u,...l),options:l}}function ys(e){let t=Math.max(...e.map(({step_ns:e})=>e),1);return B(t/1e6).map(e=>({words:e===0?`0`:O(e*1e6),top:hs+ms*(1-e*1e6/t)}))}function bs({accounts:e,step_ns:t}){let n=T(Object.entries(e).map(([e,t])=>({id:e,ns:t})));return n.length>0?n:[{id:`step`,ns:t}]}var xs=4,Ss=class extends G{constructor(...e){super(...e),this.chosen=null,this.marked=[],this.chart=null,this.words=[],this.at=0}static{this.styles=L`
    :host {
      display: block;
    }
    #frame {
      display: grid;
      gap: 8px;
      grid-template-columns: max-content 1fr;
      margin-top: 8px;
    }
    #scale {
      position: relative;
      min-width: 48px;
    }
    #scale span {
      color: var(--ink-2);
      font-size: 12px;
      line-height: 1;
      position: absolute;
      right: 0;
      transform: translateY(-50%);
      white-space: nowrap;
    }
    #chart {
      position: relative;
    }
    svg {
      display: block;
      overflow: visible;
    }
    [role='option'] {
      cursor: pointer;
    }
    .ground {
      fill: transparent;
    }
    [role='option']:hover .ground,
    .on .ground {
      fill: var(--ground);
    }
    [aria-selected='true'] .ground {
      fill: var(--info-ground);
      stroke: var(--accent);
    }
    .on .ground {
      stroke: var(--control-line);
    }
    .out {
      opacity: 0.45;
    }
    .tick {
      stroke: var(--line);
    }
    .outlier {
      fill: var(--ink);
      font-size: 12px;
    }
    .number {
      fill: var(--ink-2);
      font-size: 12px;
    }
    .mark {
      fill: var(--accent);
    }
    .legend b {
      color: var(--ink);
      font-weight: 400;
      width: 12px;
      text-align: center;
    }
    .legend .accent {
      background: var(--accent);
      height: 3px;
      width: 12px;
    }
  `}static{this.properties={steps:Object,chosen:String,marked:Array}}template(){let{columns:e,columns_total:t}=this.steps,n=e.filter(({outlier:e})=>e).map(({number:e})=>e);return y`
      <p class="note">Each column is a step, averaged over its GPUs. ${n.length===0?`None is much longer than the others.`:`${P(n.length,`outlier`)}, much longer than the others: ${P(n.length,`step`).replace(/^\S+ /,``)} ${n.slice(0,12).join(`, `)}${n.length>12?` …`:``}.`}${t>e.length?` The first ${e.length} of ${t} steps.`:``}</p>
      <div id="frame">
        <div id="scale" aria-hidden="true"></div>
        <div id="chart"></div>
      </div>
      <ul id="legend" class="legend" aria-label="What the columns show"></ul>
    `}drawn(e){(`steps`in e||`marked`in e)&&this.draw(),this.choose()}draw(){let{columns:e}=this.steps,t=this.child(`chart`),n=new Set(this.marked);this.tip??=new q(t),this.tip.hide(),this.words=e.map(e=>ws(e,n.has(e.id)));let r=this.shadowRoot.activeElement!==null&&this.chart!==null;this.chart?.drawing.remove(),this.chart=vs(e,this.words,n);let{drawing:i,options:a}=this.chart;i.style.maxWidth=`${e.length*64}px`,t.prepend(i),a.forEach((e,t)=>{e.addEventListener(`pointerenter`,()=>this.tip?.show(e,this.words[t]??``)),e.addEventListener(`click`,()=>this.pick(t))}),i.addEventListener(`pointerleave`,()=>this.tip?.hide()),i.addEventListener(`focus`,()=>this.go(this.at)),i.addEventListener(`blur`,()=>this.tip?.hide()),i.addEventListener(`keydown`,e=>this.onKey(e)),r&&i.focus(),this.child(`scale`).replaceChildren(...ys(e).map(({words:e,top:t})=>{let n=document.createElement(`span`);return n.textContent=e,n.style.top=`${t}px`,n})),this.legend(e,n.size>0)}choose(){let e=this.steps.columns.findIndex(({id:e})=>e===this.chosen);e>=0&&(this.at=e),this.chart?.options.forEach((t,n)=>t.setAttribute(`aria-selected`,String(n===e)))}legend(e,t){let n=new Set(e.flatMap(({accounts:e})=>Object.keys(e))),r=t=>e.some(({accounts:e,step_ns:n})=>(e[t]??0)>=.005*n),i=T([...n].filter(r).map(e=>({id:e,ns:1}))).map(({id:e})=>H(w(e),w(e).words));e.some(({outlier:e})=>e)&&i.push(Cs(`◆`,`outlier: much longer than the others`)),e.some(({judged:e})=>!e)&&i.push(Cs(``,`pale: left out of the averages`)),t&&i.push(Cs(null,`a place of a finding that is open`)),this.child(`legend`).replaceChildren(...i)}go(e){let t=this.chart?.options??[];this.at=Math.min(Math.max(e,0),t.length-1);let n=t[this.at];n&&(this.chart?.drawing.setAttribute(`aria-activedescendant`,n.id),this.tip?.show(n,this.words[this.at]??``))}pick(e){let t=this.steps.columns[e];t&&K(this,`step-change`,{id:t.id})}onKey(e){let{key:t}=e;if(t===`Escape`)return this.tip?.hide();let n={ArrowLeft:this.at-1,ArrowRight:this.at+1,Home:0,End:1/0}[t];if(n!==void 0)this.go(n);else if(t===`Enter`||t===` `)this.pick(this.at);else return;e.preventDefault()}};function Cs(e,t){let n=document.createElement(`li`);if(e!==``){let t=document.createElement(e===null?`span`:`b`);t.setAttribute(`aria-hidden`,`true`),e===null?t.className=`accent`:t.textContent=e,n.append(t)}return n.append(t),n}function ws({number:e,step_ns:t,accounts:n,outlier:r,judged:i,note:a,gpus_count:o},s){let c=Object.entries(n).sort(([,e],[,t])=>t-e).slice(0,xs).map(([e,n])=>`${w(e).words} ${O(n)} (${A(n/t)})`);return[`Step ${e}: ${O(t)}${o>1?`, average of ${P(o,`GPU`)}`:``}`,r?`outlier: much longer than the others`:``,a||(i?``:`left out of the averages`),c.join(`, `),s?`a place of an open finding lies here`:``].filter(Boolean).join(` · `)}customElements.define(`tfperf-step-chart`,Ss);var Ts=200,Es={"host.compile":[`tracing or compiling`,`compile`,`cross`],"host.input":[`the step waits for its batch`,`input`,`rising`],"host.sync":[`waits for a GPU`,`sync`,`falling`],"host.callback":[`callbacks, metrics, checkpoints`,`between`,`cross`],"host.eager":[`ops that Python runs one by one`,`between`,`dots`],"host.step":[`inside the step’s function`,`unknown`,`solid`],"host.launch":[`launches kernels`,`launch`,`solid`],"host.op":[`an op of the step runs on the CPU`,`host-op`,`bars`],"host.pipeline":[`the input pipeline works`,`input`,`solid`]},Ds={step:`Host: step`,launches:`Host: launches`,input:`Host: input`};function Os(e){let t=Es[e];return t?{words:t[0],colour:`--account-${t[1]}`,pattern:t[2]}:w(e)}function ks(e){return`${e in Es?`host: `:``}${Os(e).words}`}function As({host:e,name:t,is_gpu:n},r){let i=n?F(t):Ds[t]??t;return r?`${e} · ${i}`:i}function js({begin:e,end:t},n){let r=Math.min(Math.max(t-e,Math.min(Ts,n)),n),i=Math.min(Math.max(e,0),n-r);return{begin:i,end:i+r}}function Ms({begin:e,end:t},n,r,i){return js({begin:r-(r-e)/n,end:r+(t-r)/n},i)}function Ns({begin:e,end:t},n,r){let i=t-e,a=Math.min(Math.max(e+n,0),r-i);return{begin:a,end:a+i}}function Ps({begin:e,end:t},n){let r=Math.max((t-e)*.25,Ts);return js({begin:e-r,end:t+r},n)}function Q({end_ns:e},t){let[n,r]=[0,e.length];for(;n<r;){let i=n+r>>1;e[i]<=t?n=i+1:r=i}return n}function Fs(e,t){let n=Q(e,t);return(e.begin_ns[n]??1/0)<=t?n:-1}function $(e,{row:t,span:n}){let{begin_ns:r,end_ns:i}=e.rows[t];return{row:t,begin:r[n]??0,end:i[n]??0}}function Is(e,{row:t,span:n}){let r=e.rows[t],[i,a,o]=[r.begin_ns[n]??0,r.end_ns[n]??0,r.pieces[n]??1],{words:s}=Os(e.codes[r.code[n]??0]??``);return{row:As(r,e.hosts.length>1),what:o>1?`${M(o)} short pieces, mostly ${s}`:s,begin:i,length:a-i}}function Ls(e,t){let{row:n,what:r,begin:i,length:a}=Is(e,t);return`${n}: ${r}, ${O(a)}, `+(i>0?`${O(i)} into the step`:`at the begin of the step`)}function Rs(e,t,n){let r=e.rows.flatMap((e,n)=>{let r=Q(e,t.begin),i=Q({...e,end_ns:e.begin_ns},t.end-1);return Array.from({length:Math.max(i-r,0)},(e,t)=>({row:n,span:r+t}))}),i=t=>$(e,t).end-$(e,t).begin;return{lines:(r.length>n?[...r].sort((e,t)=>i(t)-i(e)).slice(0,n):r).sort((e,t)=>e.row-t.row||e.span-t.span).map(t=>Is(e,t)),total:r.length}}function zs({rows:e},t){return t.flatMap(t=>e.flatMap((e,n)=>{if(e.host!==t.host||e.pieces_count===0||t.device!==null&&(!e.is_gpu||e.name!==t.device))return[];let[r,i]=[t.begin_ms,t.end_ms].map(t=>Math.round((t-e.origin_ms)*1e6));return i>0&&r<e.length_ns?[{row:n,begin:Math.max(r,0),end:Math.min(i,e.length_ns)}]:[]}))}function Bs(e,{row:t,begin:n,end:r},i){let{host:a,name:o,is_gpu:s,origin_ms:c}=e.rows[t],l=Number.parseInt(e.step,10);return{host:a,begin_ms:c+n/1e6,end_ms:c+r/1e6,label:i,device:s?o:null,stream:null,step:l}}function Vs({rows:e,codes:t}){return t.filter(t=>e.some(({sums_ns:e})=>(e[t]??0)>0))}var Hs=16,Us=8;function Ws(e,t,n){let r=getComputedStyle(e),i=e=>r.getPropertyValue(e).trim();return{fills:t.map(e=>Gs(Os(e),i,n)),text:i(`--ink-2`),line:i(`--line`),accent:i(`--accent`),ink:i(`--ink`),font:`12px ${r.fontFamily}`}}function Gs({colour:e,pattern:t},n,r){let i=n(e);if(t===`solid`)return i;let a=document.createElement(`canvas`);a.width=a.height=Us;let o=a.getContext(`2d`);return o?(o.fillStyle=i,o.fillRect(0,0,Us,Us),o.strokeStyle=n(`--hatch`),o.lineWidth=t===`dots`?2:1.2,o.stroke(new Path2D(Wn[t])),r.createPattern(a,`repeat`)??i):i}function Ks(e,t,n,r,i,a,o){let s=t/(r.end-r.begin),c=e=>(e-r.begin)*s,l=e=>22+e*22;e.clearRect(0,0,t,l(n.rows.length)),qs(e,t,r,l(n.rows.length),i),n.rows.forEach((t,n)=>Js(e,t,r,c,l(n)+3,i.fills));let u=({row:n,begin:r,end:i},a)=>{e.strokeStyle=a,e.lineWidth=2;let[o,s]=[Math.max(c(r),-4),Math.min(c(i),t+4)];e.strokeRect(o,l(n)+2,Math.max(s-o,3),18)};for(let e of a)e.end>=r.begin&&e.begin<=r.end&&u(e,i.accent);o&&u(o,i.ink)}function qs(e,t,n,r,i){let a=n.end-n.begin,[,o=a]=B(a);e.font=i.font,e.fillStyle=i.text;for(let r=Math.ceil(n.begin/o)*o;r<=n.end;r+=o){let i=Math.round((r-n.begin)/a*t);e.fillRect(i,17,1,5);let o=O(Math.round(r)),s=e.measureText(o).width;e.fillText(o,Math.min(Math.max(i-s/2,0),t-s),12)}e.fillStyle=i.line,e.fillRect(0,21,t,1),e.fillRect(0,r-1,t,1)}function Js(e,{begin_ns:t,end_ns:n,code:r},i,a,o,s){let c=-1;for(let l=Q({end_ns:n},i.begin);l<r.length;l++){let u=t[l];if(u>=i.end)break;let[d,f]=[Math.max(Math.round(a(u)),0),Math.round(a(Math.min(n[l],i.end)))];f<=d||(r[l]!==c&&(e.fillStyle=s[c=r[l]]??``),e.fillRect(d,o,f-d,Hs))}}var Ys=120,Xs=1.6,Zs=.15,Qs=4,$s=class extends G{constructor(...e){super(...e),this.data=null,this.fine=null,this.marks=[],this.chosen=null,this.view={begin:0,end:1},this.at={row:0,span:0},this.ink=null,this.frame=0,this.resting=0,this.held=null,this.watchers=[]}static{this.styles=L`
    :host {
      display: block;
    }
    #frame {
      display: grid;
      gap: 10px;
      grid-template-columns: minmax(64px, max-content) minmax(0, 1fr);
      max-height: 70vh;
      overflow: hidden auto;
    }
    #labels {
      font-size: 13px;
      max-width: 240px;
      min-width: 0;
    }
    #labels div {
      height: ${22}px;
      line-height: ${22}px;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    #labels :first-child {
      margin-top: ${22}px;
    }
    #labels .host {
      color: var(--ink-2);
    }
    #plot {
      position: relative;
    }
    #wrap {
      position: relative;
    }
    canvas:focus-visible {
      outline-offset: -2px;
    }
    canvas {
      cursor: grab;
      display: block;
      touch-action: pan-y;
      width: 100%;
    }
    canvas.held {
      cursor: grabbing;
    }
    #spot {
      pointer-events: none;
      position: absolute;
    }
    .help {
      margin-top: 6px;
    }
  `}static{this.properties={data:Object,fine:Object,marks:Array,chosen:Object}}template(){let{data:e}=this,t=(e?.hosts.length??0)>1;return y`
      <div id="wrap">
        <div id="frame">
          <div id="labels" aria-hidden="true">${e?.rows.map(e=>{let n=As(e,t);return y`<div class=${e.is_gpu?``:`host`} title=${n}>${n}</div>`})}</div>
          <div id="plot">
            <canvas
              id="canvas"
              tabindex="0"
              role="application"
              aria-roledescription="timeline"
              aria-describedby="help"
              aria-label=${e?`Timeline of step ${e.step}, ${e.rows.length} rows`:`Timeline`}
              @keydown=${this.onKey}
              @focus=${this.onFocus}
              @blur=${this.onBlur}
              @wheel=${this.onWheel}
              @pointerdown=${this.onDown}
              @pointermove=${this.onMove}
              @pointerup=${this.onUp}
              @pointercancel=${this.onUp}
              @pointerleave=${this.onLeave}
            ></canvas>
            <div id="spot"></div>
          </div>
        </div>
      </div>
      <p id="help" class="note help">
        Drag or ← → to move · Ctrl + wheel or + − to zoom, 0 for the whole step · ↑ ↓ for rows, Shift + ← → for spans ·
        click or Enter to choose a span, Esc to leave it
      </p>
    `}drawn(){this.draw()}ready(){super.ready(),this.tip=new q(this.child(`wrap`))}connectedCallback(){super.connectedCallback();let e=new ResizeObserver(()=>this.draw());e.observe(this.child(`plot`));let t=new MutationObserver(()=>{this.ink=null,this.draw()});t.observe(document.documentElement,{attributes:!0,attributeFilter:[`data-theme`]}),this.watchers.push(e,t)}disconnectedCallback(){super.disconnectedCallback();for(let e of this.watchers.splice(0))e.disconnect()}show(e){this.data=e,this.fine=null,this.ink=null,this.at={row:0,span:0},this.move({begin:0,end:Math.max(e.length_ns,1)})}get spans(){let{fine:e,view:t}=this;return e&&e.begin_ns<=t.begin&&e.end_ns>=t.end?e:this.data}get width(){return Math.max(Math.round(this.child(`plot`).clientWidth),100)}move(e){this.view=e,this.tip.hide(),this.draw(),clearTimeout(this.resting),this.resting=window.setTimeout(()=>K(this,`view-rest`),Ys)}zoom(e,t=(this.view.begin+this.view.end)/2){this.data&&this.move(Ms(this.view,e,t,this.data.length_ns))}zoomIn(){this.zoom(Xs)}zoomOut(){this.zoom(1/Xs)}showAll(){this.data&&this.move({begin:0,end:this.data.length_ns})}draw(){this.frame||=requestAnimationFrame(()=>{this.frame=0,this.drawNow()})}get canvas(){return this.child(`canvas`)}drawNow(){super.drawNow();let{spans:e,canvas:t}=this,n=t.getContext(`2d`),r=this.child(`plot`).clientWidth;if(!e||!n||r===0)return;let i=22+e.rows.length*22,a=window.devicePixelRatio||1,[o,s]=[Math.round(r*a),Math.round(i*a)];(t.width!==o||t.height!==s)&&([t.width,t.height]=[o,s],t.style.height=`${i}px`),this.ink??=Ws(this,e.codes,n),n.setTransform(a,0,0,a,0,0),Ks(n,r,e,this.view,this.ink,this.marks,this.chosen)}pan(e){this.data&&this.move(Ns(this.view,e*(this.view.end-this.view.begin),this.data.length_ns))}toNs(e){return this.view.begin+e/this.width*(this.view.end-this.view.begin)}point(e){let{spans:t,view:n,width:r}=this;if(!t)return;let{begin:i,end:a}=$(t,e),o=r/(n.end-n.begin),s=Math.max((i-n.begin)*o,0),c=Math.min((a-n.begin)*o,r),l=this.child(`spot`),u=22+e.row*22;l.style.cssText=`left:${s}px;width:${Math.max(c-s,1)}px;top:${u}px;height:22px`,this.tip.show(l,Ls(t,e))}go({row:e,span:t}){let{spans:n,view:r,data:i}=this,a=n?.rows[e];if(!n||!i||!a)return;if(a.code.length===0){this.at={row:e,span:0},this.tip.hide();return}this.at={row:e,span:Math.min(Math.max(t,0),a.code.length-1)};let{begin:o,end:s}=$(n,this.at);(s<=r.begin||o>=r.end)&&this.move(Ns(r,(o+s-r.begin-r.end)/2,i.length_ns)),this.point(this.at)}get current(){let{spans:e,at:t,view:n}=this,r=e?.rows[t.row];if(!e||!r)return t;let{begin:i,end:a}=$(e,t);return a>n.begin&&i<n.end?t:{row:t.row,span:Math.min(Q(r,n.begin),Math.max(r.code.length-1,0))}}zoomAt(e){let{spans:t,current:n,view:r}=this;if(!t)return;let{begin:i,end:a}=$(t,n),o=(Math.max(i,r.begin)+Math.min(a,r.end))/2;this.zoom(e,Math.min(Math.max(o,r.begin),r.end))}goRow(e){let{spans:t,current:n,view:r}=this,i=t?.rows[n.row+e];t&&i&&this.go({row:n.row+e,span:Q(i,Math.max($(t,n).begin,r.begin))})}choose(e){let{spans:t}=this;e&&(this.at=e),K(this,`span-choose`,e&&t?{mark:$(t,e),words:Ls(t,e)}:{mark:null,words:``})}spotAt(e){let t=this.canvas.getBoundingClientRect(),n=Math.floor((e.clientY-t.top-22)/22),r=this.spans?.rows[n];if(!r)return null;let i=Fs(r,this.toNs(e.clientX-t.left));return i<0?null:{row:n,span:i}}onFocus(){let e=this.spans?.rows[this.at.row];e&&!this.held&&this.go({row:this.at.row,span:Q(e,this.view.begin)})}onBlur(){this.tip.hide()}onKey(e){let{key:t,shiftKey:n}=e;if(e.ctrlKey||e.metaKey||e.altKey)return;let r={ArrowLeft:-1,ArrowRight:1}[t],i={ArrowUp:-1,ArrowDown:1}[t];if(r!==void 0&&n)this.go({row:this.at.row,span:this.current.span+r});else if(r!==void 0)this.pan(r*Zs);else if(i!==void 0)this.goRow(i);else if(t===`+`||t===`=`)this.zoomAt(Xs);else if(t===`-`)this.zoomAt(1/Xs);else if(t===`0`)this.showAll();else if(t===`Enter`||t===` `)this.choose(this.current);else if(t===`Escape`)this.choose(null);else return;e.preventDefault()}onWheel(e){let t=e.shiftKey&&e.deltaY||e.deltaX;if(e.ctrlKey||e.metaKey){let t=e.clientX-this.canvas.getBoundingClientRect().left;this.zoom(2**(-e.deltaY/200),this.toNs(t))}else if(Math.abs(t)>(e.shiftKey?0:Math.abs(e.deltaY)))this.pan(t/this.width);else return;e.preventDefault()}onDown(e){e.button===0&&(this.held={x:e.clientX,view:this.view,moved:!1},this.canvas.setPointerCapture(e.pointerId))}onMove(e){let{held:t,data:n}=this;if(!t||!n){let t=this.spotAt(e);t?this.point(t):this.tip.hide();return}let r=e.clientX-t.x;t.moved||=Math.abs(r)>Qs,t.moved&&(this.canvas.classList.add(`held`),this.move(Ns(t.view,-r/this.width*(t.view.end-t.view.begin),n.length_ns)))}onUp(e){let{held:t}=this;this.held=null,this.canvas.classList.remove(`held`),t&&!t.moved&&e.type===`pointerup`&&this.choose(this.spotAt(e))}onLeave(){this.held||this.tip.hide()}};customElements.define(`tfperf-timeline-plot`,$s);var ec=300,tc=`300px`,nc=[{head:`Row`,cell:({row:e})=>e,kind:`name`},{head:`What`,cell:({what:e})=>e},{head:`From`,cell:({begin:e})=>O(e),kind:`number`,value:({begin:e})=>-e},{head:`Length`,cell:({length:e})=>O(e),kind:`number`,value:({length:e})=>e}],rc=class extends G{static{this.styles=L`
    :host {
      display: block;
      min-height: 200px;
    }
    .tools {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
      margin-bottom: 8px;
    }
    .tools p {
      flex: 1;
      min-width: 200px;
    }
    .tools label {
      align-items: center;
      display: flex;
      gap: 8px;
      font-size: 13px;
      color: var(--ink-2);
    }
    select {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 6px;
      color: var(--ink);
      max-width: 260px;
      padding: 5px 8px;
      text-overflow: ellipsis;
    }
    .wait {
      opacity: 0.5;
    }
    .chosen {
      background: var(--ground);
      border-radius: 8px;
      margin-top: 10px;
      padding: 10px 14px;
    }
    tfperf-table {
      margin-top: 10px;
    }
  `}static{this.properties={run:String,step:String,ask:Object,access:Object,marked:Array,target:Object,near:Boolean,whole:Object,chosen:Object,seen:String,problem:String,places:Array,traced:Object,lines:Array,tableNote:String}}constructor(){super(),this.step=null,this.ask=null,this.access=null,this.marked=[],this.target=null,this.near=!1,this.whole=null,this.chosen=null,this.seen=``,this.problem=``,this.places=[],this.traced=null,this.lines=[],this.tableNote=``,this.found=[],this.host=null,this.awaited=null,this.loading=new AbortController,this.refining=new AbortController,this.watcher=null;let e=(e,t)=>this.addEventListener(e,e=>{e.stopPropagation(),t(e.detail)});e(`show-trace`,({place:e})=>this.traced=e),e(`span-choose`,({mark:e,words:t})=>this.choose(e,t)),e(`view-rest`,()=>this.settle())}changed(e){let{whole:t,marked:n}=this;(`whole`in e||`marked`in e)&&(this.found=t?zs(t,n):[])}template(){let{whole:e,problem:t,run:n,places:r,traced:i}=this,{hosts:a=[],hosts_cap:o=0}=e??{};return y`
      <div class="tools">
        <p class="note" role="status">${this.seen}</p>
        <label ?hidden=${a.length<2}
          >Host
          <select id="host" @change=${this.onHost}>
            <option value="">${a.length>o?`the first ${o} of`:`all`} ${a.length}</option>
            ${a.map(e=>y`<option value=${e}>${e}</option>`)}
          </select>
        </label>
        <button class="button" @click=${()=>this.plot.zoomIn()} aria-label="Zoom in">+</button>
        <button class="button" @click=${()=>this.plot.zoomOut()} aria-label="Zoom out">−</button>
        <button class="button" @click=${()=>this.plot.showAll()}>Whole step</button>
      </div>
      <p class="note" role="alert" ?hidden=${!t}>${t}</p>
      <tfperf-timeline-plot
        id="plot"
        .marks=${this.found}
        .chosen=${this.chosen}
        ?hidden=${t}
      ></tfperf-timeline-plot>
      <ul id="legend" class="legend" aria-label="What the rows show"></ul>
      <div class="chosen" ?hidden=${r.length===0}>
        <tfperf-places
          .inTimeline=${!0}
          .run=${n}
          .places=${r}
          .access=${this.access}
          .shown=${i!==null}
        ></tfperf-places>
        ${i?y`<tfperf-trace .run=${n} .place=${i}></tfperf-trace>`:x}
      </div>
      <tfperf-table
        ?hidden=${!e}
        heading="What is in view, as a table"
        .columns=${nc}
        .items=${this.lines}
        .note=${this.tableNote}
      ></tfperf-table>
    `}drawn(e){[`run`,`step`,`ask`,`near`].some(t=>t in e)&&this.load(),`target`in e&&this.onTarget()}connectedCallback(){super.connectedCallback(),this.watcher=new IntersectionObserver(e=>this.near||=e.some(({isIntersecting:e})=>e),{rootMargin:tc}),this.watcher.observe(this)}disconnectedCallback(){super.disconnectedCallback(),this.watcher?.disconnect(),this.loading.abort(),this.refining.abort()}async load(){let{run:e,step:t,ask:n,near:r}=this;if(this.loading.abort(),!e||t===null||!n||!r)return;this.loading=new AbortController,this.refining.abort();let{signal:i}=this.loading;this.plot.classList.add(`wait`);try{let e=await n({step:t,host:this.host,begin_ns:0,end_ns:null,width:this.plot.width},i);if(i.aborted)return;this.problem=``,this.whole=e,this.plot.show(e),this.choose(null),this.goTo(this.awaited),this.tell(),this.child(`legend`).replaceChildren(...Vs(e).map(e=>H(Os(e),ks(e))))}catch(e){if(i.aborted)return;this.problem=e instanceof Error?e.message:String(e)}this.plot.classList.remove(`wait`)}onTarget(){let{target:e}=this;this.awaited=e,e&&(this.near=!0,this.whole?.step===this.step&&this.goTo(e))}goTo(e){let[t]=this.whole&&e?zs(this.whole,[e]):[];t&&this.whole&&(this.awaited=null,this.plot.move(Ps(t,this.whole.length_ns)),this.choose(t,e?.label??``))}get plot(){return this.child(`plot`)}settle(){this.tell(),this.chosen||this.choose(null),this.refine()}tell(){let{whole:e}=this,{view:t,spans:n}=this.plot;if(!e||!n)return;let r=t.end-t.begin>=e.length_ns?`The whole step, ${O(e.length_ns)}`:`${O(t.begin)} to ${O(t.end)} of ${O(e.length_ns)}`,i=n.merged_below_ns>0?` Neighbors shorter than ${O(n.merged_below_ns)} are drawn as one; zoom in to part them.`:``;this.seen=`${r}.${i}`,this.list()}async refine(){let{whole:e,ask:t,step:n}=this,{view:r,spans:i,width:a}=this.plot,o=r.end-r.begin;if(!e||!t||!i||n===null||i.merged_below_ns<=o/a)return;let s={begin_ns:Math.floor(Math.max(r.begin-o,0)),end_ns:Math.ceil(Math.min(r.end+o,e.length_ns))};if(i.begin_ns===s.begin_ns&&i.end_ns===s.end_ns)return;this.refining.abort(),this.refining=new AbortController;let{signal:c}=this.refining;try{let r=await t({step:n,host:this.host,...s,width:3*a},c);if(c.aborted||this.whole!==e)return;this.plot.fine=r,this.list()}catch{}}list(){let{spans:e,view:t}=this.plot;if(!e)return;let{lines:n,total:r}=Rs(e,t,ec);this.lines=n,this.tableNote=r>n.length?`The longest ${n.length} of ${r} spans in view; zoom in for the others.`:``}choose(e,t=``){let{whole:n}=this;this.chosen=e,this.traced=null;let r=e??{row:0,...this.plot.view},i=n?.rows[r.row],a=Math.min(r.end,i?.length_ns??0);this.places=!n||a<=r.begin?[]:e?[Bs(n,{...e,end:a},t)]:[{...Bs(n,{...r,end:a},`what is in view`),device:null}]}onHost(e){this.host=e.target.value||null,this.load()}};customElements.define(`tfperf-timeline`,rc);var ic={markers:`told by the step markers of the host`,function_runs:`told by the runs of the step’s function on the host`,steps_line:`told by the Steps line of the profile`,jit_calls:`told by calls of the function that JAX compiled`,modules:`told by repeats of one XLA program`,period:`guessed from the period of the GPU’s work`,none:`not told by anything in this profile`},ac=1e6,oc=[{head:`Step`,cell:e=>String(e.number)},{head:`Host`,cell:({host:e})=>e,kind:`name`},{head:`Begins at`,cell:e=>k(e.begin_ms),kind:`number`},{head:`Length`,cell:e=>O((e.end_ms-e.begin_ms)*ac),kind:`number`},{head:`Compute`,cell:cc,kind:`number`},{head:`Most other time`,cell:lc},{head:`Note`,cell:e=>e.note||(e.judged?``:`left out`),kind:`note name`}],sc=class extends G{constructor(...e){super(...e),this.access=null,this.ask=null,this.step=null,this.places=[],this.target=null,this.chosen=null,this.marked=[]}static{this.styles=L`
    :host {
      display: block;
    }
    tfperf-table {
      margin-top: 10px;
    }
    h3 {
      font-size: 15px;
      font-weight: 600;
      margin: 22px 0 4px;
    }
    h3 small {
      color: var(--ink-2);
      font-size: 13px;
      font-weight: 400;
      margin-left: 8px;
    }
  `}static{this.properties={report:Object,access:Object,ask:Object,step:String,places:Array,target:Object}}changed(e){let{report:t,places:n}=this,r=`report`in e;(r||`step`in e)&&(this.chosen=_n(this.step,t.findings.flatMap(({where:e})=>e),t)),(r||`places`in e)&&(this.marked=[...new Set(n.map(e=>gn(e,t)))])}template(){let{report:e,chosen:t,ask:n,access:r,places:i,target:a}=this,{run:o,steps:s,hosts:c,omitted:l}=e,{count:u,items:d,items_total:f,mean_ns:p,p50_ns:m,p95_ns:h,max_ns:ee}=s,te=s.columns.find(({id:e})=>e===t),ne=te&&[O(te.step_ns),te.outlier?`outlier: much longer than the others`:``,te.note,c.length>1?`hosts aligned at the begin of the step, each on its own clock`:``],re=`mean ${O(p)} · median ${O(m)} · 95th percentile ${O(h)} · longest ${O(ee)}`,ie=l.find(({what:e})=>e===`timeline`)?.sentence??``;return y`
      <h2>Steps and timeline <small>${P(u,`step`)} judged, ${ic[s.source]}</small></h2>
      <p class="note">${u>0?re:``}</p>
      <tfperf-step-chart .steps=${s} .chosen=${t} .marked=${this.marked}></tfperf-step-chart>
      <tfperf-table
        heading="Each step"
        .columns=${oc}
        .items=${d}
        .note=${f>d.length?`The first ${d.length} of ${f} steps.`:``}
      ></tfperf-table>
      <h3>Step ${te?.number??t??``} <small>${ne?.filter(Boolean).join(` · `)}</small></h3>
      <p class="note name" ?hidden=${!ie}>${ie}</p>
      <tfperf-timeline
        .run=${o}
        .step=${t}
        .ask=${n}
        .access=${r}
        .marked=${i}
        .target=${a}
      ></tfperf-timeline>
    `}drawn(e){`target`in e&&this.target&&this.shadowRoot.querySelector(`h3`)?.scrollIntoView({block:`start`})}};function cc(e){let t=uc(e).get(`compute`);return t===void 0?``:A(t)}function lc(e){let[t]=[...uc(e)].filter(([e])=>e!==`compute`).sort((e,t)=>t[1]-e[1]);return t&&t[1]>0?`${w(t[0]).words}, ${A(t[1])}`:``}function uc(e){let t=new Map,n=0;for(let{accounts:r}of e.devices)for(let[e,i]of Object.entries(r))t.set(e,(t.get(e)??0)+i),n+=i;for(let[e,r]of t)t.set(e,n>0?r/n:0);return t}customElements.define(`tfperf-steps`,sc);var dc=class extends G{static{this.styles=L`
    :host {
      display: block;
      padding-top: 24px;
    }
    h1 {
      font-size: 26px;
      font-weight: 400;
      line-height: 1.3;
      text-wrap: balance;
    }
    h1 b {
      font-weight: 700;
      white-space: nowrap;
    }
    .advice {
      font-size: 16px;
      margin-top: 4px;
    }
    dl {
      display: flex;
      flex-wrap: wrap;
      gap: 16px 40px;
      margin-top: 20px;
    }
    dl div {
      display: flex;
      flex-direction: column;
      max-width: 240px;
    }
    dt {
      order: 1;
    }
    dd.basis {
      font-size: 12.5px;
      line-height: 18px;
      margin-top: 2px;
      order: 2;
    }
    dd {
      font-size: 20px;
      line-height: 1.4;
    }
    dd.missing {
      color: var(--ink-2);
      font-size: 16px;
      line-height: 28px;
    }
    dt {
      color: var(--ink-2);
      font-size: 13px;
    }
  `}static{this.properties={report:Object}}template(){let{headline:e,advice:t}=this.report,n=fc(this.report);return y`
      <h1 class="name" aria-label=${e}>
        ${At(e).map(({text:e,strong:t})=>t?y`<b>${e}</b>`:y`<span>${e}</span>`)}
      </h1>
      <p class="advice name"><tfperf-text .text=${t}></tfperf-text></p>
      <dl ?hidden=${n.every(({value:e})=>e===null)}>
        ${n.map(({value:e,words:t,more:n,note:r})=>y` <div>
              <dt><tfperf-term .word=${t} .meaning=${n??``}></tfperf-term></dt>
              <dd class=${e===null?`missing`:``}>${e??(r?`not known`:`not recorded`)}</dd>
              ${r?y`<dd class="basis note name">
                      ${r} <a href="page?rule=compute" target="_blank" rel="noopener">How it is counted</a>
                    </dd>`:x}
            </div>`)}
      </dl>
    `}};function fc({key_numbers:e,allreduce:t}){let n=e.ops_on_device_count_ratio,r=e.compute_tf32_ratio??0,i=[mc(e.device_time_ratio,`of the step on the device`,`Step time in which the GPU works.`),...pc(e),mc(e.ops_on_device_ratio,`of op time placed on the device${n===null?``:`, ${A(n)} of ops`}`,`Ops that run on a GPU and not on the CPU, by time and by count.`),mc(e.compute_16bit_ratio,`of compute in 16 bit${r>0?`, ${A(r)} in TF32`:``}`,`Kernel time in float16 and bfloat16; TensorFloat-32 is counted apart.`),mc(e.gpu_busy_ratio,`GPU busy`,`Time in which anything at all runs on a GPU.`)],{transfer_ns:a=null,ring_bound_ns:o=null}=t??{};if(a){let e=o?`, ${(a/o).toFixed(1)} × the ring bound`:``;i.push({value:O(a),words:`AllReduce transfer${e}`,more:`Per step; waiting for other GPUs is not in it.`})}return i}function pc(e){let t=[],n=e=>e===null?null:A(e);return(e.mfu_ratio!==null||e.mfu_basis)&&t.push({value:n(e.mfu_ratio),words:`MFU`,note:e.mfu_basis}),e.hfu_ratio!==null&&t.push({value:n(e.hfu_ratio),words:`HFU`}),e.flops_per_s!==null&&t.push({value:wt(e.flops_per_s),words:`achieved per GPU`,more:`Floating-point operations of matrix products and convolutions in a step, a multiply-add as two, by the length of the step.`}),e.compute_judged_ratio!==null&&t.push({value:n(e.compute_judged_ratio),words:`of compute judged`,more:`Compute time of kernels whose operations and bytes are known from the profile: only these are held against the GPU’s limits.`}),t}function mc(e,t,n){return{value:e===null?null:A(e),words:t,more:n}}customElements.define(`tfperf-summary`,dc);function hc(e){let t=new Map;for(let n of e){let e=JSON.stringify(n.facts),r=t.get(e)??{records:[],facts:n.facts};r.records.push(n),t.set(e,r)}return[...t.values()]}var gc=`from tfperf_plugin.keras import DiagnosticsCallback
model.fit(..., callbacks=[tensorboard, DiagnosticsCallback(LOGDIR)])`,_c=class extends G{constructor(...e){super(...e),this.records=[]}static{this.styles=L`
    :host {
      display: block;
    }
    .group {
      border-left: 3px solid var(--line);
      margin-top: 10px;
      max-width: 760px;
      padding-left: 14px;
    }
    .group ul {
      color: var(--ink-2);
      font-size: 13px;
      list-style: none;
      padding: 0;
    }
    dl div {
      border-bottom: 1px solid var(--line);
      display: grid;
      font-size: 13px;
      gap: 12px;
      grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
      padding: 5px 0;
    }
    dt {
      color: var(--ink-2);
    }
    dd {
      overflow-wrap: anywhere;
    }
    tfperf-code {
      max-width: 760px;
    }
    p {
      margin-top: 6px;
      max-width: 760px;
    }
  `}static{this.properties={records:Array}}template(){return y`
      <details>
        <summary>What the training recorded about itself</summary>
        ${hc(this.records).map(({records:e,facts:t})=>y`
            <div class="group">
              <ul>
                ${e.map(({host:e,file:t,recorded:n})=>y`<li class="name">${[e,t,n].filter(Boolean).join(` · `)}</li>`)}
              </ul>
              <dl>
                ${t.map(({label:e,value:t})=>y`<div>
                      <dt>${e}</dt>
                      <dd>${t}</dd>
                    </div>`)}
              </dl>
            </div>
          `)}
        ${this.records.length===0?y`
                <p class="note">
                  Nothing was recorded beside this profile. With this callback the number of parameters, the batch size,
                  threads and links between GPUs are known and need not be estimated:
                </p>
                <tfperf-code framework="Keras" .code=${gc}></tfperf-code>
              `:x}
      </details>
    `}};customElements.define(`tfperf-training`,_c);var vc=class extends G{constructor(...e){super(...e),this.open=null}static{this.styles=L`
    :host {
      display: block;
      margin-top: 18px;
    }
    .chips {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
      list-style: none;
      padding: 0;
    }
    .chip,
    .calm {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 15px;
      color: var(--ink-2);
      font-size: 13px;
      line-height: 20px;
      padding: 4px 12px;
      text-align: left;
    }
    .chip:hover,
    .chip[aria-expanded='true'] {
      color: var(--ink);
    }
    .chip[aria-expanded='true'] {
      border-color: var(--control-line);
    }
    .chip i,
    .calm i {
      font-size: 11px;
      font-style: normal;
      margin-right: 6px;
    }
    .calm {
      width: fit-content;
    }
    .calm i {
      color: var(--good);
    }
    .critical i {
      color: var(--critical);
    }
    .warning i {
      color: var(--warning);
    }
    .info i {
      color: var(--info);
      font-weight: 700;
    }
    .note-body {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 8px;
      padding: 14px 18px;
    }
    .note-body > * + * {
      margin-top: 10px;
    }
    .title {
      align-items: baseline;
      display: flex;
      gap: 10px;
    }
    h3 {
      font-size: 15px;
      font-weight: 600;
    }
  `}static{this.properties={notes:Array,open:Object}}changed(e){`notes`in e&&(this.open=null)}template(){let{notes:e,open:t}=this;return y`
      <h2 class="unseen">How far this profile can be trusted</h2>
      <p class="calm" ?hidden=${e.length>0}>
        <i aria-hidden="true">✓</i>No check found a reason to doubt this profile.
      </p>
      <ul class="chips" ?hidden=${e.length===0}>
        ${e.map(e=>y` <li>
              <button
                class="chip name ${e.severity}"
                aria-expanded=${e===t}
                aria-controls="body"
                @click=${()=>this.open=e===t?null:e}
              >
                <i aria-hidden="true">${ea[e.severity]}</i
                ><span class="unseen">${e.severity}: </span>${e.title}
              </button>
            </li>`)}
      </ul>
      <div id="body">${t?yc(t):x}</div>
    `}};function yc({id:e,title:t,severity:n,summary:r,evidence:i,explains:a,fix:o,guide:s}){let c=e=>y`<tfperf-evidence .items=${e} ?hidden=${e.length===0}></tfperf-evidence>`;return y`
    <div class="note-body">
      <div class="title">
        <tfperf-severity .severity=${n}></tfperf-severity>
        <h3 class="name">${t}</h3>
      </div>
      <p class="name"><tfperf-text .text=${r}></tfperf-text></p>
      ${c(i)}
      ${a.map(e=>y` <p class="name">
              It also explains: ${e.title}. ${e.summary}
              <a class="note" href=${f(document.baseURI,e.id)} target="_blank" rel="noopener"
                >How this is measured</a
              >
            </p>
            ${c(e.evidence)}`)}
      <tfperf-fix .fix=${o} .guide=${s} .rule=${e}></tfperf-fix>
      <tfperf-limits .rule=${e} .of=${t}></tfperf-limits>
    </div>
  `}customElements.define(`tfperf-trust`,vc);function bc(e){return e.filter(({saving:e})=>e!==null)}function xc(e,t){let n=new Set((e??``).split(`,`));return bc(t).map(({id:e})=>e).filter(e=>n.has(e))}function Sc({step_ns:e,predicted_ns:t,saved_ns:n}){return n<=0?`A step would still take about ${O(e)}.`:`A step would take about ${O(t)} instead of ${O(e)} (−${A(n/e)}).`}function Cc(e){if(!e)return``;let t=`${wc(e.low_ratio)} to ${wc(e.high_ratio)}`;return`In nine of ten of ${e.runs} simulated runs, predictions of this kind were off by ${t} of the step (+: the step became shorter than predicted).`}function wc(e){return`${e<0?`−`:`+`}${(Math.abs(e)*100).toFixed(1)}\u00a0%`}var Tc=.005,Ec=class extends G{constructor(...e){super(...e),this.report=null,this.ask=null,this.without=null,this.sentence=``,this.limits=[],this.error=``,this.shown=!1,this.busy=`false`,this.asking=new AbortController}static{this.styles=L`
    :host {
      display: block;
    }
    fieldset {
      border: 0;
      display: grid;
      gap: 2px;
      margin: 10px 0 0;
      min-width: 0;
      padding: 0;
    }
    label {
      align-items: baseline;
      border-radius: 6px;
      cursor: pointer;
      display: grid;
      gap: 10px;
      grid-template-columns: auto minmax(0, 1fr) auto;
      padding: 5px 8px;
    }
    label:hover {
      background: var(--ground);
    }
    input {
      accent-color: var(--accent);
      cursor: inherit;
      margin: 0;
      transform: translateY(1px);
    }
    .saving {
      color: var(--ink-2);
      font-size: 13px;
      white-space: nowrap;
    }
    #result {
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 12px;
      padding: 14px 16px;
    }
    .answer {
      font-size: 16px;
    }
    #chart {
      margin-top: 10px;
      position: relative;
    }
    .row {
      align-items: center;
      display: grid;
      font-size: 13px;
      gap: 12px;
      grid-template-columns: 66px 1fr 66px;
      margin-top: 7px;
    }
    .total {
      font-variant-numeric: tabular-nums;
      text-align: right;
    }
    .limits {
      margin-top: 10px;
      padding-left: 18px;
    }
    .error {
      margin-top: 10px;
    }
    .button {
      margin-top: 10px;
    }
  `}static{this.properties={report:Object,ask:Object,without:String,sentence:String,limits:Array,error:String,shown:Boolean,busy:String}}template(){let{limits:e,error:t,chosen:n}=this,r=bc(this.findings);return y`
      <section aria-labelledby="title" ?hidden=${r.length===0}>
        <h2 id="title">What if <small>the step, replayed without the causes of what you choose</small></h2>
        <fieldset>
          <legend class="unseen">Findings to remove</legend>
          ${r.map(({id:e,title:t,saving:r})=>y` <label>
                <input
                  type="checkbox"
                  .checked=${n.includes(e)}
                  @change=${t=>this.onChoose(e,t)}
                />
                <span class="name">${t}</span>
                <span class="saving">${r?`${kt(r)} (${A(r.ratio)})`:``}</span>
              </label>`)}
        </fieldset>
        <div id="result" ?hidden=${!this.shown} aria-busy=${this.busy}>
          <p class="answer" role="status">${this.sentence}</p>
          <div id="chart"><div id="rows"></div></div>
          <ul id="legend" class="legend" aria-label="Accounts before and after"></ul>
          <ul class="note limits" aria-label="What limits the prediction" ?hidden=${e.length===0}>
            ${e.map(e=>y`<li>${e}</li>`)}
          </ul>
          <p class="note error" ?hidden=${!t}>
            ${t} <a href="page?rule=accuracy" target="_blank" rel="noopener">How that was measured</a>
          </p>
          <button class="button" @click=${this.onNone}>Choose none</button>
        </div>
      </section>
    `}drawn(e){let{report:t,ask:n,chosen:r}=this;t&&[`report`,`ask`,`without`].some(t=>t in e)&&(this.asking.abort(),r.length>0&&n?this.predict(r,n):(this.shown=!1,this.sentence=``))}get findings(){return this.report?.findings??[]}get chosen(){return xc(this.without,this.findings)}onChoose(e,{target:t}){let{checked:n}=t,{chosen:r}=this,i=bc(this.findings).map(({id:e})=>e).filter(t=>t===e?n:r.includes(t));K(this,`without-change`,{without:i.join(`,`)||null})}onNone(){K(this,`without-change`,{without:null}),this.shadowRoot.querySelector(`input`)?.focus()}async predict(e,t){let{signal:n}=this.asking=new AbortController;this.busy=`true`,this.shown||(this.sentence=`Replaying the step …`),this.shown=!0;try{let r=await t(e,n);n.aborted||this.present(r)}catch(e){if(n.aborted)return;this.present(null),this.sentence=e instanceof h?e.message:`The step could not be replayed.`}finally{n.aborted||(this.busy=`false`)}}present(e){this.sentence=e?Sc(e):``,this.limits=e?.limits??[],this.error=Cc(e?.error??null),this.tip??=new q(this.child(`chart`)),this.tip.hide();let t=e?.accounts??[],n=e?.step_ns??1,r=e?[this.row(`now`,t,`before_ns`,n),this.row(`predicted`,t,`after_ns`,n)]:[];this.child(`rows`).replaceChildren(...r),this.child(`legend`).replaceChildren(...T(t.map(e=>({...e,ns:Math.max(e.before_ns,e.after_ns)}))).filter(({ns:e})=>e>=Tc*n).map(({id:e,before_ns:t,after_ns:n})=>H(w(e),`${w(e).words} ${Dc(t,n)}`)))}row(e,t,n,r){let i=T(t.map(e=>({id:e.id,ns:e[n]}))),a=i.reduce((e,{ns:t})=>e+t,0),o=i.map(({id:e,ns:t})=>`${w(e).words}, ${O(t)}, ${A(t/Math.max(a,1))} of the step`),{drawing:s,segments:c}=qr(i.map(({id:e,ns:t})=>({look:w(e),ns:t})),Math.max(r,1),`${e}, ${O(a)}: ${o.join(`; `)}`);this.tip?.explain(s,c,o.map(t=>`${e}: ${t}`));let l=document.createElement(`div`);l.className=`row`;let u=document.createElement(`span`);u.textContent=e;let d=document.createElement(`span`);return d.className=`total`,d.textContent=O(a),l.append(u,s,d),l}};function Dc(e,t){let[n,r]=[O(e),O(t)];return n===r?n:`${n} → ${r}`}customElements.define(`tfperf-what-if`,Ec);var Oc=150,kc=class extends G{constructor(...e){super(...e),this.view=`waiting`,this.runs=[],this.run=null,this.report=null,this.progress=null,this.error=null,this.access=null,this.opened=null,this.step=null,this.places=[],this.target=null,this.timeline=null,this.only=null,this.marks={},this.base=null,this.without=null,this.predict=null,this.typed=Ye,this.refused=Ze,this.recomputing=!1,this.parts=0,this.said=``,this.state=rt,this.unwritten=!1,this.wanted=null,this.retyped=new Set,this.loading=new AbortController,this.stale=!1,this.leaving=null,this.listed=!1,this.shown=new Map,this.thresholds=null,this.words=null}static{this.styles=L`
    :host {
      background: var(--page);
      display: block;
      min-height: 100vh;
      overflow-wrap: break-word;
    }
    /* Wide windows: the charts grow; lines of text do not (theme.ts). */
    main {
      margin: 0 auto;
      max-width: clamp(1180px, 78vw, 1800px);
      padding: 0 24px 64px;
    }
    /* What lay below the last report, until the first paint of the next. */
    .former {
      content-visibility: hidden;
    }
    .late {
      animation: late 0s 0.5s backwards;
      margin-top: 32px;
    }
    @keyframes late {
      from {
        visibility: hidden;
      }
    }
    tfperf-ledger,
    tfperf-findings,
    tfperf-what-if,
    tfperf-compute,
    tfperf-roofline,
    tfperf-allreduce,
    tfperf-hosts,
    tfperf-input,
    tfperf-ops,
    tfperf-memory,
    tfperf-phases,
    tfperf-steps,
    tfperf-training {
      margin-top: 32px;
    }
  `}static{this.properties={view:String,runs:Array,run:String,report:Object,progress:Object,error:Object,access:Object,opened:String,step:String,places:Array,target:Object,timeline:Object,only:String,marks:Object,base:String,without:String,predict:Object,typed:Object,refused:Object,recomputing:Boolean,parts:Number,said:String}}template(){let{run:e,runs:t,view:n}=this,r=n===`report`?this.report:null;return y`
      <main>
        <div class="unseen" role="status">${this.said}</div>
        ${t.length>0||e!==null?y`<tfperf-bar
                .runs=${t}
                .run=${e}
                .base=${this.base}
                .typed=${this.typed}
                .report=${r}
              ></tfperf-bar>`:x}
        ${this.content()}
      </main>
    `}content(){switch(this.view){case`waiting`:return y`<tfperf-progress .progress=${this.progress}></tfperf-progress>`;case`empty`:return y`<tfperf-no-profiles></tfperf-no-profiles>`;case`failed`:return y`<tfperf-failure .error=${this.error}></tfperf-failure>`;case`report`:return this.report?this.first(this.report):x}}first(e){let{only:t}=this,n=e.trust.length>0||e.ledger;return y`
      <tfperf-summary .report=${e}></tfperf-summary>
      <tfperf-trust .notes=${e.trust} ?hidden=${!n}></tfperf-trust>
      ${this.comparison(e.run)}
      <tfperf-ledger .report=${e} .only=${t}></tfperf-ledger>
      <div class=${this.parts===1?`former`:``}>${this.parts===1?b:this.below(e)}</div>
    `}comparison(e){let{base:t,backend:n}=this;return t?y`<tfperf-compare .backend=${n} .base=${t} .run=${e}></tfperf-compare>`:x}below(e){let{parts:t}=this;return t===0?x:y`
      <tfperf-findings
        .report=${e}
        .access=${this.access}
        .opened=${this.opened}
        .only=${this.only}
        .marks=${this.marks}
      ></tfperf-findings>
      ${t>2?this.panels(e):y`<p class="note late">Charts and tables follow …</p>`}
    `}panels(e){let{run:t,access:n,typed:r}=this,{ledger:i}=e;return y`
      <tfperf-what-if .report=${e} .ask=${this.predict} .without=${this.without}></tfperf-what-if>
      ${i?.compute_parts.length?y`<tfperf-compute .ledger=${i}></tfperf-compute>`:x}
      ${fn(e)?y`<tfperf-roofline .report=${e}></tfperf-roofline>`:x}
      ${e.allreduce?y`<tfperf-allreduce
              .allreduce=${e.allreduce}
              .run=${t}
              .access=${n}
              .typed=${r}
              .refused=${this.refused}
              .recomputing=${this.recomputing}
            ></tfperf-allreduce>`:x}
      ${e.by_host.length>1?y`<tfperf-hosts .hosts=${e.by_host}></tfperf-hosts>`:x}
      ${e.input?.iterators.length?y`<tfperf-input .input=${e.input}></tfperf-input>`:x}
      ${e.phases?y`<tfperf-phases .phases=${e.phases}></tfperf-phases>`:x}
      ${e.ops??e.host_ops?y`<tfperf-ops .report=${e}></tfperf-ops>`:x}
      ${e.memory?y`<tfperf-memory .memory=${e.memory}></tfperf-memory>`:x}
      <tfperf-training .records=${e.training}></tfperf-training>
      ${e.steps.items.length?y`<tfperf-steps
              .report=${e}
              .access=${n}
              .ask=${this.timeline}
              .step=${this.step}
              .places=${this.places}
              .target=${this.target}
            ></tfperf-steps>`:x}
    `}ready(){super.ready();let e=(e,t)=>this.addEventListener(e,e=>t(e.detail));e(`run-change`,({run:e})=>this.choose({...rt,run:e,base:this.base===e?null:this.base})),e(`base-change`,({base:e})=>{this.base=e,this.remember({...this.state,base:e})}),e(`assume`,({field:e,text:t})=>{this.wanted={...this.wanted??this.typed,[e]:t},this.retyped.add(e),this.recomputing=!0,this.load()}),e(`retry`,()=>void this.load(this.view===`failed`&&this.error?.kind===`cancelled`)),e(`cancel`,()=>void this.backend.cancel(this.run??``).catch(e=>this.fail(e))),e(`finding-toggle`,({id:e,expanded:t})=>{t?this.remember({...this.state,finding:e}):this.state.finding===e&&this.remember({...this.state,finding:null})}),this.addEventListener(`finding-shown`,e=>{this.shown.set(e.composedPath()[0],e.detail.places);for(let e of this.shown.keys())e.isConnected||this.shown.delete(e);this.places=[...this.shown.values()].flat()}),e(`step-change`,({id:e})=>this.goToStep(e)),e(`show-in-timeline`,({place:e})=>{let t=this.report&&gn(e,this.report);t&&this.goToStep(t),this.target={...e}}),e(`filter`,({only:e})=>{this.only=e,this.remember({...this.state,only:e})}),e(`mark`,({id:e,mark:t})=>{this.marks=Rt(this.marks,e,t),this.run!==null&&this.host.keepMarks(this.run,this.marks)}),e(`link`,e=>{e.answer=this.host.link({...this.state,finding:e.id,only:null})}),e(`thresholds`,e=>{e.answer=this.thresholds??=this.backend.thresholds().catch(e=>{throw this.thresholds=null,e})}),e(`try-out`,e=>{e.answer=this.tryOut(e.trials)}),e(`without-change`,({without:e})=>{this.without=e,this.remember({...this.state,without:e})}),e(`open-profile-tab`,({target:e,click:t})=>{this.host.openProfileTab(e)&&t.preventDefault()})}start(e,t){return this.backend=e,this.host=t,this.timeline=(e,t)=>this.backend.timeline({run:this.run??``,...this.typed,...e},t),this.predict=(e,t)=>this.backend.predict({run:this.run??``,...this.typed},e,t),this.state=t.readAddress(),this.step=this.state.step,this.base=this.state.base,this.without=this.state.without,t.onShown(()=>this.catchUp()),this.load()}reload(){this.host.isShown()?this.load():this.stale=!0}catchUp(){let e=this.host.readAddress();!this.unwritten&&e.run!==null&&JSON.stringify(e)!==JSON.stringify(this.state)?this.choose(e):(this.writeAddress(),this.stale&&this.load())}async tryOut(e){let{report:t,run:n,typed:r}=this;if(t===null||n===null)throw Error(`There is no report.`);return{base:t,other:await this.backend.report({run:n,...r,tried:e},()=>void 0,this.loading.signal)}}remember(e){this.state=e,this.writeAddress()}writeAddress(){this.unwritten=!1,this.host.writeAddress(this.state)}goToStep(e){this.step=e,this.remember({...this.state,step:e})}choose(e){this.state=e,this.unwritten=!0,this.step=e.step,this.base=e.base,this.without=e.without,this.wanted=null,this.typed=Ye,this.refused=Ze,this.retyped.clear(),this.recomputing=!1,this.load()}async load(e=!1){this.loading.abort(),this.loading=new AbortController,this.stay(),this.stale=this.listed=!1;let{signal:t}=this.loading;try{let n=this.words??=this.learnWords(),r=this.runs.length===0?this.list():null,i=this.state.run??(await r)?.[0]?.name;if(t.throwIfAborted(),i===void 0){this.run=null,this.view=`empty`;return}(i!==this.report?.run||this.view!==`report`)&&this.wait(i);let{parameters:a,bandwidth:o}=this.state,s=a!==null||o!==null;this.wanted??=s?{parameters:a,bandwidth:o}:this.host.recall(i);let[c]=await Promise.all([this.ask(i,this.wanted,t,e),n,r]);t.throwIfAborted(),this.present(i,c)}catch(e){t.aborted||this.fail(e)}t.aborted||Ac(()=>this.listAgain())}async list(){this.listed=!0;let e=await this.backend.runs();return JSON.stringify(e)!==JSON.stringify(this.runs)&&(this.runs=e),e}listAgain(){this.listed||this.list().catch(()=>void 0)}async learnWords(){try{dt(await this.backend.glossary())}catch{this.words=null}}wait(e){this.view===`report`?this.leaving={run:e,timer:window.setTimeout(()=>this.leave(),Oc)}:this.leaveFor(e)}stay(){clearTimeout(this.leaving?.timer),this.leaving=null}leave(){this.leaving&&this.leaveFor(this.leaving.run)}leaveFor(e){this.stay(),this.run=e,this.progress=null,this.access=null,this.view=`waiting`,this.said=``,this.writeAddress()}async ask(e,t,n,r){let i=e=>{this.leave(),this.listAgain(),this.recomputing||(this.progress=e,this.view=`waiting`)},a=t=>this.backend.report({run:e,...t,...r?{again:r}:{}},i,n),o=Ze;try{return{report:await a(t),typed:t,refused:o}}catch(e){if(!jc(e))throw e}let s=this.typed;for(let e of Xe){let n=t[e];if(n!==s[e])try{await a({...s,[e]:n}),s={...s,[e]:n}}catch(t){if(!jc(t))throw t;o={...o,[e]:{text:n??``,message:t.message}}}}return{report:await a(s),typed:s,refused:o}}present(e,{report:t,typed:n,refused:r}){this.stay();let i=this.view!==`report`||e!==this.run;this.run=e,this.wanted=n,this.recomputing&&this.host.keep(e,n),this.typed=n;let a=Xe.filter(e=>!this.retyped.has(e)&&!r[e]&&this.refused[e]);this.retyped.clear(),this.refused=a.reduce((e,t)=>({...e,[t]:this.refused[t]}),r),this.recomputing=!1,this.state={...this.state,run:e,...n},this.only=this.state.only,(i||JSON.stringify(t)!==JSON.stringify(this.report))&&(this.opened=this.state.finding,performance.mark(`tfperf:report`),this.report=t,this.view=`report`,this.said=`The report of ${e} is shown.`),i?(this.access=null,this.parts=1):this.marks=this.host.marks(e),this.parts<3&&this.drawOn(),Ac(()=>{this.writeAddress(),this.backend.traceAccess(e).then(t=>{this.run===e&&(this.access=t)})})}drawOn(){Ac(()=>{this.leaving||(this.parts===1?(this.parts=0,this.drawNow(),this.marks=this.host.marks(this.run??``),this.parts=2,this.drawOn()):(performance.mark(`tfperf:painted`),this.parts=3))})}fail(e){this.leave(),this.error=e instanceof h?e:new h(e instanceof Error?e.message:String(e),`internal`),this.recomputing=!1,this.view=`failed`}};function Ac(e){requestAnimationFrame(()=>setTimeout(e))}function jc(e){return e instanceof h&&e.kind===`bad_request`}customElements.define(`tfperf-app`,kc);var Mc=2e4;function Nc(){try{return window.parent.document===document?null:window.parent}catch{return null}}function Pc(e){return e.querySelector(`iframe[src$="plugin_entry.html?name=profile"]`)}function Fc(e,t){return new Promise(n=>{let r=e=>{a.disconnect(),clearTimeout(o),n(e)},i=()=>{let e=t();e!==null&&r(e)},a=new MutationObserver(i),o=setTimeout(()=>r(null),Mc);a.observe(e,{childList:!0,subtree:!0}),i()})}var Ic=class{constructor(e=Nc(),t=document.baseURI){this.tensorboard=e,this.baseURI=t}readAddress(){return this.tensorboard?ot(this.tensorboard.location.hash):rt}writeAddress(e){if(!this.tensorboard||!st(this.tensorboard.location.hash))return;let{history:t,location:n}=this.tensorboard,r=ct(n.hash,e);r!==n.hash&&t.replaceState(t.state,``,r)}link(e){let t=new URL(this.tensorboard?.location.href??n(this.baseURI).href);return t.hash=ct(t.hash,e),t.href}marks(e){return It(e)}keepMarks(e,t){Lt(e,t)}recall(e){return $e(e)}keep(e,t){et(e,t)}isShown(){return window.innerHeight>0}onShown(e){let t=this.tensorboard,n=Rc();if(!t||!n)return;let r=()=>{this.isShown()&&e()},{ResizeObserver:i}=t;new i(r).observe(n),t.addEventListener(`hashchange`,r)}openProfileTab(e){let t=this.tensorboard;return t?(t.location.hash=`profile`,t.history.replaceState(t.history.state,``,`${c(e)}#profile`),this.zoomProfileTab(t,e),!0):!1}async zoomProfileTab(e,t){let n=await Fc(e.document,()=>Pc(e.document)),r=n?.contentWindow;if(!n||!r)return;r.location.replace(u(this.baseURI,t,Date.now().toString(36))),await new Promise(e=>n.addEventListener(`load`,e,{once:!0}));let i=n.contentDocument;if(!i)return;let a=await Fc(i,()=>{let e=i.querySelector(`trace-viewer iframe`);return e?.src?e:null});a&&(a.contentWindow?.location.replace(d(a.src,t)),e.location.hash===``&&e.history.replaceState(e.history.state,``,`${e.location.search}#profile`))}};function Lc(){document.documentElement.lang=`en`,document.title=`Diagnostics`;let e=Rc();e&&(e.title=`Diagnostics`)}function Rc(){try{return window.frameElement}catch{return null}}function zc(){let e=document.documentElement,t=Nc()?.document.body;if(t){let n=()=>{e.dataset.theme=t.classList.contains(`dark-mode`)?`dark`:`light`};n(),new MutationObserver(n).observe(t,{attributes:!0,attributeFilter:[`class`]});return}let n=window.matchMedia(`(prefers-color-scheme: dark)`),r=()=>{e.dataset.theme=n.matches?`dark`:`light`};r(),n.addEventListener(`change`,r)}function Bc(e=Rc()){e&&Object.defineProperty(e,"reload",{configurable:!0,get:()=>void 0,set:t=>{let n=Pc(e.ownerDocument);n&&Object.assign(n,{reload:t})}})}function Vc(e){let t=Nc();if(!t)return;let{port1:n,port2:r}=new MessageChannel;n.onmessage=({data:t})=>{let{type:r,id:i,isReply:a}=JSON.parse(t);a||(n.postMessage(JSON.stringify({type:r,id:i,payload:null,error:null,isReply:!0})),r===`experimental.DataReloaded`&&e())},t.postMessage(`experimental.bootstrap`,`*`,[r])}function Hc(){Lc(),Bc(),zc();let e=document.createElement(`style`);e.textContent=yn,document.head.append(e);let t=document.createElement(`tfperf-app`);document.body.append(t),Vc(()=>t.reload()),t.start(new pe(document.baseURI),new Ic)}export{Hc as render};