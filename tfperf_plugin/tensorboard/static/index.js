var e=`trace_viewer@`,t=.001;function n(e){return new URL(`../../../`,e)}function r(e){return new URL(`../profile/`,e)}function i(e,n){let r=Math.min(e,n),i=Math.max(e,n),a=Math.max((i-r)*.1,t);return{begin:Math.max(0,r-a),end:Math.max(t,i+a)}}function a(e){return e.toFixed(6)}function o(e,t={}){let{run:n,host:r}=e;return new URLSearchParams({run:n,host:r,hosts:r,...t}).toString()}function s(t,r){let i=n(t);return i.search=o(r,{tool:e}),i.hash=`profile`,i.href}function c(t){return`?${new URLSearchParams({tool:e,run:t.run,hosts:t.host})}`}function l(t,n){let s=r(t),c=new URL(`data?${o(n,{tag:e})}`,s),{begin:l,end:u}=i(n.beginMs,n.endMs),d=new URL(`trace_viewer_index.html`,s);return d.search=new URLSearchParams({is_streaming:`true`,is_oss:`true`,trace_data_url:c.pathname+c.search,source_code_service:`false`,view_start:a(l),view_end:a(u)}).toString(),d.href}function u(t,n,s){let{begin:c,end:l}=i(n.beginMs,n.endMs),u=new URL(`index.html`,r(t));return u.search=o(n,{tool:e,view_start:a(c),view_end:a(l),nonce:s}),u.href}function d(e,t){let n=new URL(e),{begin:r,end:o}=i(t.beginMs,t.endMs);return n.searchParams.set(`view_start`,a(r)),n.searchParams.set(`view_end`,a(o)),n.href}function f(e,t){return new URL(`page?${new URLSearchParams({rule:t})}`,e).href}function p(e,t,{parameters:n,bandwidth:r},i){let a=new URLSearchParams({run:t,format:i});return n!==null&&a.set(`parameters`,n),r!==null&&a.set(`bandwidth`,r),new URL(`export?${a}`,e).href}function m(e){try{let t=new URL(e);return[`http:`,`https:`].includes(t.protocol)?t.href:void 0}catch{return}}var h=class extends Error{constructor(e,t){super(e),this.kind=t}};function g(e,t){return e?.state===`ready`&&e.hosts.includes(t)}function _(e,t){switch(e?.state){case void 0:return``;case`no_plugin`:return`The trace viewer is not there: TensorBoard’s profile plugin is missing (pip install xprof).`;case`no_run`:return`The trace viewer does not list this run.`;case`ready`:return g(e,t)?``:`The trace viewer does not list this host.`}}var ee=250,te=1e3,ne=[`not_found`,`bad_request`,`unreadable`,`not_judgeable`,`cancelled`,`busy`],re=/[\u202a-\u202e\u2066-\u2069]|\\u20(?:2[a-e]|6[6-9])/i,ie=200,[ae,oe,se]=[32,34,44],ce=new Set([`headline`,`advice`,`title`,`summary`,`action`,`cause`,`reason`,`how`,`sentence`,`label`,`value`,`source`,`written`,`stage`,`note`]);function le(e){let t=t=>{let n=e.charCodeAt(t);return n>ae&&n!==oe&&n!==se};for(let n=199;n<e.length;n+=ie){let[e,r]=[n,n];if(t(n)){for(;t(e-1);)e--;for(;t(r+1);)r++;if(r-e+1>=ie)return!0}}return!1}function ue(e){if(!re.test(e)&&!le(e))return JSON.parse(e);let[t,n]=[new RegExp(re,`gi`),RegExp(`[^\\s",]{${ie},}`,`g`)];return JSON.parse(e,(e,r)=>{if(typeof r!=`string`||e===`run`)return r;let i=r.replace(t,`�`);return ce.has(e)?i.replace(n,e=>`${e.slice(0,60)}…${e.slice(-40)}`):i})}var de=class{constructor(e,t=(e,t)=>window.fetch(e,t),n=e=>new Promise(t=>setTimeout(t,e))){this.baseURI=e,this.fetch=t,this.pause=n}async runs(){let{body:e}=await this.ask(`runs`);return e.runs}async report(e,t,n){let r=`report?${fe(e)}`,i=e.again?await this.ask(`${r}&again=1`,n):null;return i?.status===200?i.body:await this.awaited(r,t,n)}async cancel(e){await this.ask(`cancel?${new URLSearchParams({run:e})}`,void 0,`POST`)}async timeline(e,t){let{step:n,host:r,begin_ns:i,end_ns:a,width:o,keep:s,kernels:c}=e,l=fe(e,{step:n,host:r,begin_ms:i/1e6,end_ms:a&&a/1e6,width:o,order:`late`,keep_host:s&&s.host,keep_gpu:s&&s.device,lane:c?`kernels`:null});return await this.awaited(`timeline?${l}`,()=>void 0,t)}async compare(e,t,n,r){return await this.awaited(`compare?${new URLSearchParams({base:e,new:t})}`,n,r)}async predict(e,t,n){let r=fe(e,{without:t.join(`,`)});return await this.awaited(`predict?${r}`,()=>void 0,n)}async board(e,t,n){let r=new URLSearchParams([...e.map(e=>[`run`,e]),...t===null?[]:[[`base`,t]]]);return(await this.ask(`board?${r}`,n)).body}async awaited(e,t,n){for(let r=ee;;r=Math.min(r*1.5,te)){let{status:i,body:a}=await this.ask(e,n);if(i!==202)return a;t(a),await this.pause(r),n.throwIfAborted()}}async glossary(){return(await this.ask(`glossary`)).body}async thresholds(){let{body:e}=await this.ask(`rules`),{rules:t,severities:n}=e;return{rules:Object.fromEntries(t.map(({id:e,thresholds:t})=>[e,t])),severities:n}}async traceAccess(e){let t=r(this.baseURI);try{let r=new URL(`data/plugins_listing`,n(this.baseURI));if(!(`profile`in await this.json(r)))return{state:`no_plugin`};if(!(await this.json(new URL(`runs`,t))).includes(e))return{state:`no_run`};let i=new URLSearchParams({run:e,tag:`trace_viewer@`});return{state:`ready`,hosts:(await this.json(new URL(`hosts?${i}`,t))).map(({hostname:e})=>e)}}catch{return{state:`no_plugin`}}}async json(e){let t=await this.fetch(e.href);if(!t.ok)throw Error(`${t.status}`);return t.json()}async ask(e,t,n){let r;try{let i={...t?{signal:t}:{},...n?{method:n,headers:{"X-Tfperf":`1`}}:{}};r=await this.fetch(new URL(e,this.baseURI).href,i)}catch(e){throw t?.aborted?e:new h(`TensorBoard does not answer. Is it still running?`,`unreachable`)}let i=await r.text().then(ue).catch(()=>null);if(r.ok&&i!==null)return{status:r.status,body:i};let{error:a,kind:o}=i??{};throw new h(typeof a==`string`?a:`TensorBoard answered with status ${r.status}.`,ne.includes(String(o))?o:`internal`)}};function fe({run:e,parameters:t,bandwidth:n,tried:r=[]},i={}){let a=Object.entries({run:e,parameters:t,bandwidth:n,...i}).filter(([,e])=>e!==null),o=r.map(e=>[`threshold`,e]);return new URLSearchParams([...a.map(([e,t])=>[e,String(t)]),...o])}var pe=globalThis,me=e=>e,he=pe.trustedTypes,ge=he?he.createPolicy(`lit-html`,{createHTML:e=>e}):void 0,_e=`$lit$`,v=`lit$${Math.random().toFixed(9).slice(2)}$`,ve=`?`+v,ye=`<${ve}>`,y=document,be=()=>y.createComment(``),xe=e=>e===null||typeof e!=`object`&&typeof e!=`function`,Se=Array.isArray,Ce=e=>Se(e)||typeof e?.[Symbol.iterator]==`function`,we=`[ 	
\f\r]`,Te=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Ee=/-->/g,De=/>/g,b=RegExp(`>|${we}(?:([^\\s"'>=/]+)(${we}*=${we}*(?:[^ \t\n\f\r"'\`<>=]|("|')|))|$)`,`g`),Oe=/'/g,ke=/"/g,Ae=/^(?:script|style|textarea|title)$/i,x=(e=>(t,...n)=>({_$litType$:e,strings:t,values:n}))(1),je=Symbol.for(`lit-noChange`),S=Symbol.for(`lit-nothing`),Me=new WeakMap,Ne=y.createTreeWalker(y,129);function Pe(e,t){if(!Se(e)||!e.hasOwnProperty(`raw`))throw Error(`invalid template strings array`);return ge===void 0?t:ge.createHTML(t)}var Fe=(e,t)=>{let n=e.length-1,r=[],i,a=t===2?`<svg>`:t===3?`<math>`:``,o=Te;for(let t=0;t<n;t++){let n=e[t],s,c,l=-1,u=0;for(;u<n.length&&(o.lastIndex=u,c=o.exec(n),c!==null);)u=o.lastIndex,o===Te?c[1]===`!--`?o=Ee:c[1]===void 0?c[2]===void 0?c[3]!==void 0&&(o=b):(Ae.test(c[2])&&(i=RegExp(`</`+c[2],`g`)),o=b):o=De:o===b?c[0]===`>`?(o=i??Te,l=-1):c[1]===void 0?l=-2:(l=o.lastIndex-c[2].length,s=c[1],o=c[3]===void 0?b:c[3]===`"`?ke:Oe):o===ke||o===Oe?o=b:o===Ee||o===De?o=Te:(o=b,i=void 0);let d=o===b&&e[t+1].startsWith(`/>`)?` `:``;a+=o===Te?n+ye:l>=0?(r.push(s),n.slice(0,l)+_e+n.slice(l)+v+d):n+v+(l===-2?t:d)}return[Pe(e,a+(e[n]||`<?>`)+(t===2?`</svg>`:t===3?`</math>`:``)),r]},Ie=class e{constructor({strings:t,_$litType$:n},r){let i;this.parts=[];let a=0,o=0,s=t.length-1,c=this.parts,[l,u]=Fe(t,n);if(this.el=e.createElement(l,r),Ne.currentNode=this.el.content,n===2||n===3){let e=this.el.content.firstChild;e.replaceWith(...e.childNodes)}for(;(i=Ne.nextNode())!==null&&c.length<s;){if(i.nodeType===1){if(i.hasAttributes())for(let e of i.getAttributeNames())if(e.endsWith(_e)){let t=u[o++],n=i.getAttribute(e).split(v),r=/([.?@])?(.*)/.exec(t);c.push({type:1,index:a,name:r[2],strings:n,ctor:r[1]===`.`?Ve:r[1]===`?`?He:r[1]===`@`?Ue:Be}),i.removeAttribute(e)}else e.startsWith(v)&&(c.push({type:6,index:a}),i.removeAttribute(e));if(Ae.test(i.tagName)){let e=i.textContent.split(v),t=e.length-1;if(t>0){i.textContent=he?he.emptyScript:``;for(let n=0;n<t;n++)i.append(e[n],be()),Ne.nextNode(),c.push({type:2,index:++a});i.append(e[t],be())}}}else if(i.nodeType===8){if(i.data===ve)c.push({type:2,index:a});else{let e=-1;for(;(e=i.data.indexOf(v,e+1))!==-1;)c.push({type:7,index:a}),e+=v.length-1}}a++}}static createElement(e,t){let n=y.createElement(`template`);return n.innerHTML=e,n}};function Le(e,t,n=e,r){if(t===je)return t;let i=r===void 0?n._$Cl:n._$Co?.[r],a=xe(t)?void 0:t._$litDirective$;return i?.constructor!==a&&(i?._$AO?.(!1),a===void 0?i=void 0:(i=new a(e),i._$AT(e,n,r)),r===void 0?n._$Cl=i:(n._$Co??=[])[r]=i),i!==void 0&&(t=Le(e,i._$AS(e,t.values),i,r)),t}var Re=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:n}=this._$AD,r=(e?.creationScope??y).importNode(t,!0);Ne.currentNode=r;let i=Ne.nextNode(),a=0,o=0,s=n[0];for(;s!==void 0;){if(a===s.index){let t;s.type===2?t=new ze(i,i.nextSibling,this,e):s.type===1?t=new s.ctor(i,s.name,s.strings,this,e):s.type===6&&(t=new We(i,this,e)),this._$AV.push(t),s=n[++o]}a!==s?.index&&(i=Ne.nextNode(),a++)}return Ne.currentNode=y,r}p(e){let t=0;for(let n of this._$AV)n!==void 0&&(n.strings===void 0?n._$AI(e[t]):(n._$AI(e,n,t),t+=n.strings.length-2)),t++}},ze=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,n,r){this.type=2,this._$AH=S,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=n,this.options=r,this._$Cv=r?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=Le(this,e,t),xe(e)?e===S||e==null||e===``?(this._$AH!==S&&this._$AR(),this._$AH=S):e!==this._$AH&&e!==je&&this._(e):e._$litType$===void 0?e.nodeType===void 0?Ce(e)?this.k(e):this._(e):this.T(e):this.$(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==S&&xe(this._$AH)?this._$AA.nextSibling.data=e:this.T(y.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:n}=e,r=typeof n==`number`?this._$AC(e):(n.el===void 0&&(n.el=Ie.createElement(Pe(n.h,n.h[0]),this.options)),n);if(this._$AH?._$AD===r)this._$AH.p(t);else{let e=new Re(r,this),n=e.u(this.options);e.p(t),this.T(n),this._$AH=e}}_$AC(e){let t=Me.get(e.strings);return t===void 0&&Me.set(e.strings,t=new Ie(e)),t}k(t){Se(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,i=0;for(let a of t)i===n.length?n.push(r=new e(this.O(be()),this.O(be()),this,this.options)):r=n[i],r._$AI(a),i++;i<n.length&&(this._$AR(r&&r._$AB.nextSibling,i),n.length=i)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let t=me(e).nextSibling;me(e).remove(),e=t}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},Be=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,n,r,i){this.type=1,this._$AH=S,this._$AN=void 0,this.element=e,this.name=t,this._$AM=r,this.options=i,n.length>2||n[0]!==``||n[1]!==``?(this._$AH=Array(n.length-1).fill(new String),this.strings=n):this._$AH=S}_$AI(e,t=this,n,r){let i=this.strings,a=!1;if(i===void 0)e=Le(this,e,t,0),a=!xe(e)||e!==this._$AH&&e!==je,a&&(this._$AH=e);else{let r=e,o,s;for(e=i[0],o=0;o<i.length-1;o++)s=Le(this,r[n+o],t,o),s===je&&(s=this._$AH[o]),a||=!xe(s)||s!==this._$AH[o],s===S?e=S:e!==S&&(e+=(s??``)+i[o+1]),this._$AH[o]=s}a&&!r&&this.j(e)}j(e){e===S?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??``)}},Ve=class extends Be{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===S?void 0:e}},He=class extends Be{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==S)}},Ue=class extends Be{constructor(e,t,n,r,i){super(e,t,n,r,i),this.type=5}_$AI(e,t=this){if((e=Le(this,e,t,0)??S)===je)return;let n=this._$AH,r=e===S&&n!==S||e.capture!==n.capture||e.once!==n.once||e.passive!==n.passive,i=e!==S&&(n===S||r);r&&this.element.removeEventListener(this.name,this,n),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH==`function`?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},We=class{constructor(e,t,n){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=n}get _$AU(){return this._$AM._$AU}_$AI(e){Le(this,e)}},Ge=pe.litHtmlPolyfillSupport;Ge?.(Ie,ze),(pe.litHtmlVersions??=[]).push(`3.3.3`);var Ke=(e,t,n)=>{let r=n?.renderBefore??t,i=r._$litPart$;if(i===void 0){let e=n?.renderBefore??null;r._$litPart$=i=new ze(t.insertBefore(be(),e),e,void 0,n??{})}return i._$AI(e),i},qe=()=>window.localStorage;function Je(e,t=qe){try{let n=JSON.parse(t().getItem(e)??`{}`);return typeof n==`object`&&n?n:{}}catch{return{}}}function Ye(e,t,n=qe){try{Object.values(t).every(e=>e===null)?n().removeItem(e):n().setItem(e,JSON.stringify(t))}catch{}}var Xe={parameters:null,bandwidth:null},Ze=[`parameters`,`bandwidth`],Qe={parameters:null,bandwidth:null},$e=`tfperf.typed.`;function et(e,t=qe){let n=Je($e+e,t),[r,i]=[nt(n.parameters),nt(n.bandwidth)];return r===null&&i===null?Xe:{parameters:r,bandwidth:i}}function tt(e,{parameters:t,bandwidth:n},r=qe){Ye($e+e,{parameters:t,bandwidth:n},r)}function nt(e){return typeof e==`string`&&e!==``?e:null}var rt=`diagnostics`,it={run:null,finding:null,base:null,step:null,zoom:null,without:null,sort:null,filter:null,only:null,row:null,pair:null,...Xe},at=`p.${rt}.`;function ot(e){try{return decodeURIComponent(e)}catch{return e}}function st(e){let t=new Map;for(let n of e.replace(/^#/,``).split(`&`)){let e=n.indexOf(`=`);n.startsWith(at)&&e>0&&t.set(n.slice(at.length,e),ot(n.slice(e+1)))}return{run:t.get(`run`)||null,finding:t.get(`finding`)||null,step:t.get(`step`)||null,zoom:t.get(`zoom`)||null,base:t.get(`base`)||null,without:t.get(`without`)||null,sort:t.get(`sort`)||null,filter:t.get(`filter`)||null,only:t.get(`only`)||null,row:t.get(`row`)||null,pair:t.get(`pair`)||null,parameters:t.get(`parameters`)||null,bandwidth:t.get(`bandwidth`)||null}}function ct(e){let t=e.replace(/^#/,``).split(`&`)[0]??``;return t===``||t===`diagnostics`||t.includes(`=`)}function lt(e,t){let n=e.replace(/^#/,``).split(`&`).filter(e=>e!==``&&e!==`diagnostics`&&!e.startsWith(at)),r=Object.entries(t).filter(([,e])=>e!==null).map(([e,t])=>`${at}${e}=${encodeURIComponent(String(t))}`);return`#${[rt,...n,...r].join(`&`)}`}var ut={terms:[],heads:{}},dt=/(?!)/g;function ft(e){ut=e;let t=ut.terms.map(({pattern:e})=>`(${e})`).join(`|`);dt=RegExp(`(?<![\\w/.:-])(?:${t})(?![\\w/-]|[.:]\\w)`,`g`)}function pt(e){let t=[],n=new Set,r=0;for(let i of e.matchAll(dt)){let a=ut.terms[i.slice(1).findIndex(e=>e!==void 0)]?.meaning;a===void 0||n.has(a)||(n.add(a),i.index>r&&t.push(e.slice(r,i.index)),t.push({word:i[0],meaning:a}),r=i.index+i[0].length)}return r<e.length&&t.push(e.slice(r)),t}function mt(e,t){let[n]=pt(`${e[0]?.toLowerCase()}${e.slice(1)}`),[r]=pt(e);return ut.heads[t]?.[e]??[n,r].map(e=>typeof e==`object`?e.meaning:void 0).find(Boolean)}var ht={done:`done`,irrelevant:`not relevant`},gt=`tfperf.marks.`;function _t(e,t=qe){let n=Object.entries(Je(gt+e,t));return Object.fromEntries(n.filter(e=>e[1]===`done`||e[1]===`irrelevant`))}function vt(e,t,n=qe){Ye(gt+e,t,n)}function yt(e,t,n){let{[t]:r,...i}=e;return n===null?i:{...i,[t]:n}}function bt(e,t){return e.find(({id:e})=>!t[e])??e[0]??null}function xt(e,t){let n=e.findIndex(e=>e.id===t||e.explains.some(e=>e.id===t)),r=e[n];return r?{finding:r,rank:n+1}:null}var St={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Ct=e=>(...t)=>({_$litDirective$:e,values:t}),wt=class{constructor(e){}get _$AU(){return this._$AM._$AU}_$AT(e,t,n){this._$Ct=e,this._$AM=t,this._$Ci=n}_$AS(e,t){return this.update(e,t)}update(e,t){return this.render(...t)}},Tt=`important`,Et=` !`+Tt,C=Ct(class extends wt{constructor(e){if(super(e),e.type!==St.ATTRIBUTE||e.name!==`style`||e.strings?.length>2)throw Error("The `styleMap` directive must be used in the `style` attribute and must be the only part in the attribute.")}render(e){return Object.keys(e).reduce((t,n)=>{let r=e[n];return r==null?t:t+`${n=n.includes(`-`)?n:n.replace(/(?:^(webkit|moz|ms|o)|)(?=[A-Z])/g,`-$&`).toLowerCase()}:${r};`},``)}update(e,[t]){let{style:n}=e.element;if(this.ft===void 0)return this.ft=new Set(Object.keys(t)),this.render(t);for(let e of this.ft)t[e]??(this.ft.delete(e),e.includes(`-`)?n.removeProperty(e):n[e]=null);for(let e in t){let r=t[e];if(r!=null){this.ft.add(e);let t=typeof r==`string`&&r.endsWith(Et);e.includes(`-`)||t?n.setProperty(e,t?r.slice(0,-11):r,t?Tt:``):n[e]=r}}return je}}),Dt=new Map([[`idle.stagger`,`Launch skew`,`stagger`,`falling`],[`compute`,`Compute`,`compute`,`solid`],[`compute.floor`,`Compute at the GPU’s limit`,`compute`,`solid`],[`compute.recoverable`,`Compute that could be won`,`recoverable`,`bars`],[`compute.not_judged`,`Compute not judged`,`unknown`,`rising`],[`communication.transfer`,`Exposed transfer`,`transfer`,`solid`],[`communication.wait`,`Straggler wait`,`wait`,`rising`],[`copy.h2d`,`H2D copy`,`copy`,`solid`],[`copy.d2h`,`D2H copy`,`copy`,`falling`],[`copy.d2d`,`D2D copy`,`copy`,`dots`],[`idle.input`,`Input wait`,`input`,`rising`],[`idle.launch`,`Launch wait`,`launch`,`dots`],[`idle.dispatch`,`Op dispatch`,`launch`,`rising`],[`idle.compile`,`Compile wait`,`compile`,`cross`],[`idle.host_op`,`CPU op wait`,`host-op`,`bars`],[`idle.sync`,`Host sync`,`sync`,`falling`],[`idle.between_steps`,`Step gap`,`between`,`cross`],[`idle.unknown`,`Unattributed idle`,`unknown`,`dots`]].map(([e,t,n,r])=>[e,{words:t,colour:`--account-${n}`,pattern:r}])),Ot=[...Dt.keys()];function w(e){return Dt.get(e)??{words:kt(e),colour:`--account-unknown`,pattern:`solid`}}function kt(e){return e.slice(e.indexOf(`.`)+1).replaceAll(`_`,` `)}function At(e){let t=e=>(Ot.indexOf(e)+Ot.length+1)%(Ot.length+1);return e.filter(e=>e.ns>0).sort((e,n)=>t(e.id)-t(n.id))}function T(e){let t=e/5,n=10**Math.floor(Math.log10(t)),r=([1,2,5,10].find(e=>e*n>=t)??10)*n;return Array.from({length:Math.floor(e/r)+1},(e,t)=>t*r)}function jt(e,t,n=9){let r=Math.floor(Math.log10(e)),i=Math.ceil(Math.log10(t)),a=Math.max(1,Math.ceil((i-r-1)/n)),o=i-r<=3?[1,2,5]:[1];return Array.from({length:i-r+1},(e,t)=>r+t).filter(e=>e%a===0).flatMap(e=>o.map(t=>t*10**e)).filter(n=>n>=e&&n<=t)}function Mt(e,t,n){return Math.log(e/t)/Math.log(n/t)}function Nt(e,t,n){let r=e.map((e,t)=>t).sort((t,n)=>(e[t]??0)-(e[n]??0)),i=[...e],a=-1/0;for(let e of r)i[e]=Math.max(i[e]??0,a),a=(i[e]??0)+t;let o=n;for(let e of r.reverse())i[e]=Math.min(i[e]??0,o),o=(i[e]??0)-t;return i}var E=String.raw,Pt=E`
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
`,Ft=E`
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
`;window.JSCompiler_renameProperty=function(e,t){return e};var It=0;function Lt(){}Lt.prototype.__mixinApplications,Lt.prototype.__mixinSet;var Rt=function(e){let t=e.__mixinApplications;t||(t=new WeakMap,e.__mixinApplications=t);let n=It++;function r(r){let i=r.__mixinSet;if(i&&i[n])return r;let a=t,o=a.get(r);if(!o){o=e(r),a.set(r,o);let t=Object.create(o.__mixinSet||i||null);t[n]=!0,o.__mixinSet=t}return o}return r},zt=0;function Bt(){zt++}var Vt=[];function Ht(e){Vt.push(e)}var Ut=0,Wt=0,Gt=[],Kt=0,qt=!1,Jt=document.createTextNode(``);new window.MutationObserver(Yt).observe(Jt,{characterData:!0});function Yt(){qt=!1;let e=Gt.length;for(let t=0;t<e;t++){let e=Gt[t];if(e)try{e()}catch(e){setTimeout(()=>{throw e})}}Gt.splice(0,e),Wt+=e}var Xt={run(e){return qt||(qt=!0,Jt.textContent=Kt++),Gt.push(e),Ut++},cancel(e){let t=e-Wt;if(t>=0){if(!Gt[t])throw Error(`invalid async handle: `+e);Gt[t]=null}}},Zt=window.ShadyDOM&&window.ShadyDOM.noPatch&&window.ShadyDOM.wrap?window.ShadyDOM.wrap:window.ShadyDOM?e=>ShadyDOM.patch(e):e=>e,Qt=Xt,$t=Rt(e=>{class t extends e{static createProperties(e){let t=this.prototype;for(let n in e)n in t||t._createPropertyAccessor(n)}static attributeNameForProperty(e){return e.toLowerCase()}static typeForProperty(e){}_createPropertyAccessor(e,t){this._addPropertyToAttributeMap(e),this.hasOwnProperty(JSCompiler_renameProperty(`__dataHasAccessor`,this))||(this.__dataHasAccessor=Object.assign({},this.__dataHasAccessor)),this.__dataHasAccessor[e]||(this.__dataHasAccessor[e]=!0,this._definePropertyAccessor(e,t))}_addPropertyToAttributeMap(e){this.hasOwnProperty(JSCompiler_renameProperty(`__dataAttributes`,this))||(this.__dataAttributes=Object.assign({},this.__dataAttributes));let t=this.__dataAttributes[e];return t||(t=this.constructor.attributeNameForProperty(e),this.__dataAttributes[t]=e),t}_definePropertyAccessor(e,t){Object.defineProperty(this,e,{get(){return this.__data[e]},set:t?function(){}:function(t){this._setPendingProperty(e,t,!0)&&this._invalidateProperties()}})}constructor(){super(),this.__dataEnabled=!1,this.__dataReady=!1,this.__dataInvalid=!1,this.__data={},this.__dataPending=null,this.__dataOld=null,this.__dataInstanceProps=null,this.__dataCounter=0,this.__serializing=!1,this._initializeProperties()}ready(){this.__dataReady=!0,this._flushProperties()}_initializeProperties(){for(let e in this.__dataHasAccessor)this.hasOwnProperty(e)&&(this.__dataInstanceProps=this.__dataInstanceProps||{},this.__dataInstanceProps[e]=this[e],delete this[e])}_initializeInstanceProperties(e){Object.assign(this,e)}_setProperty(e,t){this._setPendingProperty(e,t)&&this._invalidateProperties()}_getProperty(e){return this.__data[e]}_setPendingProperty(e,t,n){let r=this.__data[e],i=this._shouldPropertyChange(e,t,r);return i&&(this.__dataPending||(this.__dataPending={},this.__dataOld={}),this.__dataOld&&!(e in this.__dataOld)&&(this.__dataOld[e]=r),this.__data[e]=t,this.__dataPending[e]=t),i}_isPropertyPending(e){return!!(this.__dataPending&&this.__dataPending.hasOwnProperty(e))}_invalidateProperties(){!this.__dataInvalid&&this.__dataReady&&(this.__dataInvalid=!0,Qt.run(()=>{this.__dataInvalid&&(this.__dataInvalid=!1,this._flushProperties())}))}_enableProperties(){this.__dataEnabled||(this.__dataEnabled=!0,this.__dataInstanceProps&&=(this._initializeInstanceProperties(this.__dataInstanceProps),null),this.ready())}_flushProperties(){this.__dataCounter++;let e=this.__data,t=this.__dataPending,n=this.__dataOld;this._shouldPropertiesChange(e,t,n)&&(this.__dataPending=null,this.__dataOld=null,this._propertiesChanged(e,t,n)),this.__dataCounter--}_shouldPropertiesChange(e,t,n){return!!t}_propertiesChanged(e,t,n){}_shouldPropertyChange(e,t,n){return n!==t&&(n===n||t===t)}attributeChangedCallback(e,t,n,r){t!==n&&this._attributeToProperty(e,n),super.attributeChangedCallback&&super.attributeChangedCallback(e,t,n,r)}_attributeToProperty(e,t,n){if(!this.__serializing){let r=this.__dataAttributes,i=r&&r[e]||e;this[i]=this._deserializeValue(t,n||this.constructor.typeForProperty(i))}}_propertyToAttribute(e,t,n){this.__serializing=!0,n=arguments.length<3?this[e]:n,this._valueToNodeAttribute(this,n,t||this.constructor.attributeNameForProperty(e)),this.__serializing=!1}_valueToNodeAttribute(e,t,n){let r=this._serializeValue(t);(n===`class`||n===`name`||n===`slot`)&&(e=Zt(e)),r===void 0?e.removeAttribute(n):e.setAttribute(n,r===``&&window.trustedTypes?window.trustedTypes.emptyScript:r)}_serializeValue(e){switch(typeof e){case`boolean`:return e?``:void 0;default:return e?.toString()}}_deserializeValue(e,t){switch(t){case Boolean:return e!==null;case Number:return Number(e);default:return e}}}return t});function en(e){let t={};for(let n in e){let r=e[n];t[n]=typeof r==`function`?{type:r}:r}return t}var tn=Rt(e=>{let t=$t(e);function n(e){let t=Object.getPrototypeOf(e);return t.prototype instanceof i?t:null}function r(e){if(!e.hasOwnProperty(JSCompiler_renameProperty(`__ownProperties`,e))){let t=null;if(e.hasOwnProperty(JSCompiler_renameProperty(`properties`,e))){let n=e.properties;n&&(t=en(n))}e.__ownProperties=t}return e.__ownProperties}class i extends t{static get observedAttributes(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__observedAttributes`,this))){Ht(this.prototype);let e=this._properties;this.__observedAttributes=e?Object.keys(e).map(e=>this.prototype._addPropertyToAttributeMap(e)):[]}return this.__observedAttributes}static finalize(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__finalized`,this))){let e=n(this);e&&e.finalize(),this.__finalized=!0,this._finalizeClass()}}static _finalizeClass(){let e=r(this);e&&this.createProperties(e)}static get _properties(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__properties`,this))){let e=n(this);this.__properties=Object.assign({},e&&e._properties,r(this))}return this.__properties}static typeForProperty(e){let t=this._properties[e];return t&&t.type}_initializeProperties(){Bt(),this.constructor.finalize(),super._initializeProperties()}connectedCallback(){super.connectedCallback&&super.connectedCallback(),this._enableProperties()}disconnectedCallback(){super.disconnectedCallback&&super.disconnectedCallback()}}return i}),D=class extends tn(HTMLElement){static{this.styles=``}constructor(){super(),this.drawnWith={};let{styles:e}=this.constructor;this.attachShadow({mode:`open`}).adoptedStyleSheets=[rn(Ft),rn(e)]}drawNow(){this._flushProperties()}_shouldPropertiesChange(e,t){return!this.shadowRoot.hasChildNodes()||this.undrawn(e,t).length>0}_propertiesChanged(e,t,n){let r=Object.fromEntries(this.undrawn(e,t).map(e=>[e,this.drawnWith[e]]));this.changed?.(r),this.drawnWith={...e},Ke(this.template(),this.shadowRoot,{host:this}),this.drawn?.(r)}undrawn(e,t){return Object.keys(t??{}).filter(t=>e[t]!==this.drawnWith[t])}child(e){return this.shadowRoot.getElementById(e)}},nn=new Map;function rn(e){let t=nn.get(e);return t||(nn.set(e,t=new CSSStyleSheet),t.replaceSync(e)),t}function an(e,t,n={}){let r={...n};return O(e,t,r),r.answer}function O(e,t,n=null){e.dispatchEvent(new CustomEvent(t,{bubbles:!0,composed:!0,detail:n}))}var k=class{constructor(e){this.chart=e,this.tip=document.createElement(`div`),this.part=null,this.tip.className=`tip`,this.tip.setAttribute(`role`,`status`),this.tip.hidden=!0,e.append(this.tip)}explain(e,t,n){let r=t.flatMap((e,t)=>e?[{part:e,words:n[t]??``}]:[]),i=0,a=e=>{i=(e+r.length)%r.length;let t=r[i];t&&this.show(t.part,t.words)},o=()=>this.hide();e.setAttribute(`tabindex`,`0`),e.addEventListener(`pointerover`,({target:e})=>{let t=r.findIndex(({part:t})=>t.contains(e));t>=0&&a(t)}),e.addEventListener(`pointerleave`,o),e.addEventListener(`focus`,()=>a(i)),e.addEventListener(`blur`,o),e.addEventListener(`keydown`,e=>{if(e.key===`Escape`){o();return}let t={ArrowLeft:-1,ArrowRight:1}[e.key];t!==void 0&&(e.preventDefault(),a(i+t))})}show(e,t){this.hide(),this.part=e,e.classList.add(`on`),this.tip.textContent=t,this.tip.hidden=!1;let n=this.chart.getBoundingClientRect(),r=e.getBoundingClientRect(),i=this.tip.offsetWidth/2,a=r.left+r.width/2-n.left;this.tip.style.left=`${Math.max(Math.min(a,n.width-i),i)}px`,this.tip.style.top=`${r.bottom-n.top}px`}hide(){this.tip.hidden=!0,this.part?.classList.remove(`on`)}},on=8;function sn(e,t,n){let r=(t,n)=>t.split(` `).forEach(t=>e.addEventListener(t,n)),i=()=>{t.hidden=!0,t.textContent=``};t.className=`tip meaning`,t.setAttribute(`role`,`tooltip`),i(),r(`pointerenter focus click`,()=>{t.textContent=n(),t.hidden=!1,t.style.left=`0`;let e=t.getBoundingClientRect().right+on-document.documentElement.clientWidth;e>0&&(t.style.left=`${-e}px`)}),r(`pointerleave blur`,i),r(`keydown`,e=>{e.key===`Escape`&&i()})}var cn=class extends D{constructor(...e){super(...e),this.word=``,this.meaning=``}static{this.styles=E`
    :host {
      color: inherit;
      display: inline-block;
      font: inherit;
      position: relative;
    }
    :host([first]) #word::first-letter {
      text-transform: var(--first-letter, none);
    }
  `}static{this.properties={word:String,meaning:String}}template(){return x`<button id="word" class="bare term" aria-description=${this.told()}>${this.word}</button
      ><span id="meaning"></span>`}told(){return this.meaning||(mt(this.word,`page`)??``)}ready(){super.ready(),sn(this.child(`word`),this.child(`meaning`),()=>this.told())}};customElements.define(`tfperf-term`,cn);function ln(e){return pt(e).map(e=>typeof e==`string`?e:Object.assign(document.createElement(`tfperf-term`),e))}var un=class extends HTMLElement{set text(e){let t=ln(e??``),[n]=t;n instanceof Element&&n.setAttribute(`first`,``),this.replaceChildren(...t)}};customElements.define(`tfperf-text`,un);var dn={critical:`●`,warning:`▲`,info:`i`},fn=class extends D{static{this.styles=E`
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
  `}static{this.properties={severity:String}}template(){let{severity:e}=this;return x`<span class=${e}><i aria-hidden="true">${dn[e]}</i>${e}</span>`}};customElements.define(`tfperf-severity`,fn);var A=`\xA0`,pn=[[`s`,1e9,1e9],[`ms`,1e6,1e5],[`µs`,1e3,1e3]],mn=[[`T`,0xe8d4a51000],[`G`,1e9],[`M`,1e6],[`k`,1e3]],hn=new Intl.NumberFormat(`en-US`),gn=new Intl.NumberFormat(`en-US`,{minimumFractionDigits:1,maximumFractionDigits:1});function j(e){let t=Math.abs(e);return t===0?`0`:t>=999.5?hn.format(Math.round(e)):t>=99.95?e.toFixed(0):t>=.95?e.toFixed(1):Number(e.toPrecision(2)).toString()}function M(e){if(e===0)return`0${A}ms`;for(let[t,n,r]of pn)if(Math.abs(e)>=r*.9995)return`${j(e/n)}${A}${t}`;return`${Math.round(e)}${A}ns`}function _n(e){return`${gn.format(e)}${A}ms`}function vn(e,t){for(let n of[1,2,3]){let[r,i]=[e,t].map(e=>yn(e,n));if(r!==i)return`${r}–${i}${A}ms`}return _n(e)}function yn(e,t){return e.toLocaleString(`en-US`,{minimumFractionDigits:t,maximumFractionDigits:t})}function N(e){return e>0&&e<.005?`<1${A}%`:e<1-1e-9&&e>=.995?`>99${A}%`:`${Math.round(e*100)}${A}%`}function P(e){for(let[t,n]of mn)if(Math.abs(e)>=n*.9995)return`${j(e/n)}${A}${t===`k`?`kB`:`${t}B`}`;return`${Math.round(e)}${A}B`}function bn(e){let[t,n]=mn.find(([,t])=>e>=t*.9995)??[``,1];return`${j(e/n)}${A}${t}FLOP/s`}function xn(e){return j(e/0xe8d4a51000)}function Sn(e){return`${j(e)}${A}FLOP/byte`}function F(e){return Number.isInteger(e)?hn.format(e):j(e)}function Cn(e){for(let[t,n]of mn)if(e>=n*.9995)return`${j(e/n)}${A}${t===`G`?`billion`:t}`;return F(e)}function I(e,t){if(typeof e==`string`)return e;switch(t){case`ns`:return M(e);case`ratio`:return N(e);case`count`:return F(e);case`bytes`:return P(e);case`GB/s`:return`${j(e)}${A}GB/s`;case`per_step`:return`${F(e)} per step`;case`times`:return`${j(e)}${A}×`;case`text`:return String(e)}}function wn({value:e,threshold:t,unit:n}){return t===null?``:`${typeof e==`number`?e<t?`≤`:`≥`:`threshold`}${A}${I(t,n)}`}function Tn(e){if(e.once_ns)return`once, ${M(e.once_ns)}`;let t=M(e.ns);return e.bound?`up to ${t}`:`about ${t}`}function L(e,t,n=`${t}s`){return`${F(e)} ${e===1?t:n}`}function R(e){return/^GPU:\d+$/.test(e)?e.replace(`:`,` `):e}function En({kinds:e}){return e.map(({name:e,count:t})=>`${t}${A}×${A}${e||`GPU`}`).join(`, `)}var Dn={matrix:`matrix products, convolutions, attention`,memory:`memory-bound`,small:`small kernels (latency-bound)`,other:`other`},On=[[`compute.floor`,`floor_ns`],[`compute.recoverable`,`recoverable_ns`],[`compute.not_judged`,`not_judged_ns`]];function kn(e){let t=(e,t)=>({...e,kind:t,ns:e.floor_ns+e.recoverable_ns+e.not_judged_ns}),n=e.map(e=>t(e,Dn[e.kind])).filter(({ns:e})=>e>0),r=e=>n.reduce((t,n)=>t+n[e],0);return{rows:n,sum:t({floor_ns:r(`floor_ns`),recoverable_ns:r(`recoverable_ns`),not_judged_ns:r(`not_judged_ns`)},`compute`)}}function An({accounts:e,compute_parts:t}){if(t.length===0)return e;let{sum:n}=kn(t);return e.flatMap(e=>e.id===`compute`?On.map(([t,r])=>({id:t,ns:n[r],ratio:e.ratio*n[r]/Math.max(1,n.ns)})):[e])}function jn({floor_ns:e,recoverable_ns:t,not_judged_ns:n}){return[e,t,n].map((e,t)=>({look:w(On[t]?.[0]??``),ns:e})).filter(({ns:e})=>e>0)}function Mn({compute_causes:e}){let t=e.reduce((e,{ns:t})=>e+t,0),n=e.filter(({ns:e})=>e>=t/100).map(({title:e,ns:t})=>`${e} ${M(t)}`);return n.length>0?`Why it was not: ${n.join(`; `)}.`:``}function Nn({compute_parts:e,compute_floor_ns:t,compute_peak_ns:n}){let{sum:r}=kn(e),i=t??r.floor_ns,a=n===null?``:`; at the data sheet’s peak, ${M(n)}`,o=r.not_judged_ns>0?` Not judged: ${M(r.not_judged_ns)}.`:``;return`A step computes for ${M(r.ns)}. At the rates that good libraries reach, its work needs ${M(i)}${a}. Up to ${M(r.recoverable_ns)} could be won.${o}`}var Pn=.005,Fn=.05,In=.5,Ln=[`compute.recoverable`,`compute.not_judged`,`compute.floor`,`compute`];function Rn(e,t){let n=new Map(An(e).map(({id:e,ns:t})=>[e,t])),r=(e,t)=>{let r=Math.min(n.get(e)??0,Math.max(0,t));return n.set(e,(n.get(e)??0)-r),r},i=(e,t)=>(e===`compute`?Ln:[e]).reduce((e,n)=>e+r(n,t-e),0),a=e.step_ns,o=[];t.forEach((e,t)=>{let n=Object.entries(e.saving?.accounts??{}).map(([e,t])=>({id:e,ns:i(e,t)})),r=z(n);r<=0||(a-=r,o.push({finding:e,rank:t+1,ns:r,begin:a,blocks:zn(n,a,t+1)}))});let s=[...n].map(([e,t])=>({id:e,ns:t}));return{step_ns:e.step_ns,now:[...zn(s),...[...o].reverse().flatMap(e=>e.blocks)],claims:o}}function zn(e,t=0,n=0){let r=At(e),i=({id:e})=>e===`idle.stagger`;return[...r.filter(e=>!i(e)),...r.filter(i)].map(({id:e,ns:r})=>{let i={account:e,ns:r,begin:t,owner:n};return t+=r,i})}function Bn({now:e},t){let n=0;return e.filter(({owner:e})=>!t.has(e)).map(e=>{let t={...e,begin:n};return n+=e.ns,t})}function z(e){return e.reduce((e,{ns:t})=>e+t,0)}function Vn(e,t){let n=t.map(({finding:e})=>e.id);if(e===`none`)return[];let r=n.filter(t=>(e??``).split(`,`).includes(t));return r.length>0?r:n}function Hn(e,t){return e.length===t.length?null:e.join(`,`)||`none`}function Un({finding:e,rank:t,ns:n}){let r=e.saving?.alone_ns??null;if(r===null||r>=In*n)return``;let i=`alone it brings ${r>0?M(r):`nothing`}`;return t===1?i:`only after ${t===2?`1`:`others`}: ${i}`}function Wn(e){let t=new Map;for(let{account:n,ns:r}of e)t.set(n,(t.get(n)??0)+r);return[...t].map(([e,t])=>({id:e,ns:t}))}function Gn(e){let t=Math.max(1,z(e)),n=e.filter(({ns:e})=>e>0).sort((e,t)=>t.ns-e.ns),r=n.filter(({ns:e})=>e<Pn*t),i=n.filter(({ns:e})=>e>=Pn*t);return{shown:r.length===1?n:i,rest:r.length>1?`${r.length} more below 0.5\u00a0%: ${M(z(r))}`:``,active_ratio:z(e.filter(({id:e})=>Kn(e)))/t}}function Kn(e){return!e.startsWith(`idle.`)&&e!==`communication.wait`}function qn({step_ns:e,now:t},n,r){let i=t.filter(({account:e,owner:t})=>t===0&&e.startsWith(`idle.`)),a=z(i);if(a<Fn*e)return``;let o=z(Bn({step_ns:e,now:t,claims:[]},n)),s=i.filter(t=>t.ns>=Pn*e).sort((e,t)=>t.ns-e.ns).map(e=>`${w(e.account).words} ${M(e.ns)}`),c=s.length>0?`: ${s.join(`, `)}`:``,l=o<e?`the projected ${r?`≥\xA0`:``}${M(o)}`:M(o),u=r?` Ten whole steps may show its cause.`:``;return`${M(a)} of ${l} is idle that no finding explains${c}.${u}`}function Jn(e,t){return`with ${e} of ${L(t,`finding`)} fixed`}function Yn(e,t){return t>0&&e>t?`${(e/t).toFixed(2)}×`:``}function Xn({ledger:e,steps:t,hosts:n}){let r=e?.devices_total??0;return[...t.groups.length>0?t.groups.map(({name:e},t)=>({id:`group-${t}`,words:e})):[{id:`mean`,words:r===1?`Mean step`:`Mean GPU`}],...n.length>1&&r>n.length?[{id:`hosts`,words:`Each host`}]:[],...r>1?[{id:`gpus`,words:r===n.length?`Each host`:`Each GPU`}]:[],...t.columns.filter(Zn).length>1?[{id:`steps`,words:`Each step`}]:[]]}function Zn({judged:e,step_ns:t,accounts:n}){return e&&t>0&&Object.keys(n).length>0}function Qn({ledger:e,steps:t,hosts:n},r){let i=n.length>1,a=e?.devices??[];switch(r){case`gpus`:return a.map(({host:e,device:t,step_ns:n,accounts:r})=>({name:i&&e?`${e} ${R(t)}`:R(t),step_ns:n,blocks:zn(r)}));case`hosts`:return n.flatMap(e=>$n(e,a.filter(({host:t})=>t===e))??[]);case`steps`:return t.columns.filter(Zn).map(({number:e,step_ns:t,accounts:n})=>({name:`Step ${e}`,step_ns:t,blocks:zn(Object.entries(n).map(([e,t])=>({id:e,ns:t})))}));default:return[]}}function $n(e,t){if(t.length===0)return null;let n=new Map;for(let{id:e,ns:r}of t.flatMap(({accounts:e})=>e))n.set(e,(n.get(e)??0)+r);let r=zn([...n].map(([e,n])=>({id:e,ns:n/t.length})));return{name:e,step_ns:z(r),blocks:r}}function er({account:e,ns:t,owner:n},r){let i=r>0?`, ${N(t/r)} of the step`:``;return`${w(e).words}: ${M(t)}${i}${n>0?`, claimed by ${n}`:``}`}function tr({gpus:e,hosts:t}){let n=(e,n,r)=>{let i=e.map(({host:e,device:n})=>t.length>1&&e?`${e} ${R(n)}`:R(n));return n>0?[`${i.join(`, `)}${n>i.length?` …`:``}: ${r}.`]:[]};return[...n(e.idle,e.idle_total,`ran no kernel`),...n(e.unrecorded,e.unrecorded_total,`no kernel was recorded`)].join(` `)}function nr({findings:e,passed:t,ledger:n,gpus:r}){if(e.some(({severity:e})=>e!==`info`))return``;if(t.length===0)return`Nothing could be judged. The checks below say what is missing and how to record it.`;let i=`${L(t.length,`check`)} passed.`;return n?`Nothing to fix above 5\u00a0% of a step. ${i}`:`The checks that this profile allows found nothing that costs time. ${i} What a step loses cannot be told without ${r.total===0?`GPU time`:`whole steps`}.`}var rr=3e-4,ir=E`
  .track {
    background: linear-gradient(var(--line), var(--line)) 0 0/1px 100% no-repeat;
    min-height: 34px;
    position: relative;
  }
  .block {
    align-content: flex-start;
    border-right: 1px solid var(--panel);
    color: var(--ink);
    display: flex;
    flex-flow: row-reverse wrap;
    font-size: 12px;
    gap: 0 4px;
    justify-content: center;
    line-height: 24px;
    overflow: hidden;
  }
  .block,
  .gone {
    height: 24px;
    position: absolute;
    top: calc(50% - 12px);
  }
  /* What does not fit on the first line beside it is out of sight: words before numbers, and neither is cut. */
  .block::before {
    content: '';
    height: 24px;
    width: 0;
  }
  .block span {
    height: 24px;
    white-space: nowrap;
  }
  .block span::before,
  .block span::after {
    content: '\00a0';
  }
  .block.chip span {
    background: var(--panel);
    border-radius: 3px;
    height: 18px;
    line-height: 18px;
    margin-top: 3px;
  }
  .block.chip {
    gap: 0;
  }
  .block.plain {
    color: var(--page);
  }
  .small {
    min-height: 20px;
  }
  .small .block {
    height: 16px;
    top: calc(50% - 8px);
  }
  .rising {
    --pattern: repeating-linear-gradient(135deg, var(--hatch) 0 1.2px, transparent 1.2px 6px);
  }
  .falling {
    --pattern: repeating-linear-gradient(45deg, var(--hatch) 0 1.2px, transparent 1.2px 6px);
  }
  .bars {
    --pattern: repeating-linear-gradient(90deg, var(--hatch) 0 1.2px, transparent 1.2px 5px);
  }
  .dots {
    --pattern: radial-gradient(circle at 2px 2px, var(--hatch) 1.1px, transparent 1.4px) 0 0/6px 6px;
  }
  .cross {
    --pattern:
      repeating-linear-gradient(45deg, var(--hatch) 0 1.2px, transparent 1.2px 6px),
      repeating-linear-gradient(135deg, var(--hatch) 0 1.2px, transparent 1.2px 6px);
  }
  .block,
  .sample {
    background: var(--pattern, linear-gradient(transparent, transparent)), var(--colour);
  }
  /* Stripes along the bottom: a finding claims it. */
  .claimed {
    background:
      repeating-linear-gradient(135deg, var(--ink) 0 2px, var(--panel) 2px 5px) 0 100%/100% 4px no-repeat,
      var(--pattern, linear-gradient(transparent, transparent)),
      var(--colour);
  }
  .sample {
    border-radius: 2px;
    display: inline-block;
    flex: none;
    height: 12px;
    width: 12px;
  }
`;function ar(e,{label:t,full:n,step:r,kind:i=``,more:a}){let o=i===`pale`?ur:lr;return x`<div class="track ${i}" role="img" aria-label=${t}>
    ${e.filter(({ns:e})=>e>n*rr).map(e=>{let{words:t,pattern:i}=w(e.account);return x`<div
          class="block ${i} ${i!==`solid`||e.owner>0||e.account.startsWith(`copy.`)?`chip`:`plain`} ${e.owner>0?`claimed`:``}"
          style=${C({...sr(e,n),"--colour":o(e.account)})}
          title=${er(e,r)}
          data-account=${e.account}
          data-owner=${e.owner}
        >
          <span>${M(e.ns)}</span><span>${t}</span>
        </div>`})}${a}
  </div>`}function or(e,t=!1){let{pattern:n}=w(e);return x`<i
    class="sample ${n} ${t?`claimed`:``}"
    style=${C({"--colour":lr(e)})}
    aria-hidden="true"
  ></i>`}function sr({begin:e,ns:t},n){return{left:cr(e,n),right:cr(n-e-t,n)}}function cr(e,t){return`${(e/Math.max(1,t)*100).toFixed(4)}%`}function lr(e){return`var(${w(e).colour})`}function ur(e){return`color-mix(in srgb, ${lr(e)} 30%, var(--panel))`}function dr(e,t,n){return`${e}: ${t.map(e=>er(e,n)).join(`; `)}`}var fr=8,pr=64,mr=class extends D{constructor(...e){super(...e),this.ask=null,this.without=null,this.selected=null,this.marks={},this.choice=``,this.count=fr,this.rows=pr,this.replay=null,this.problem=``,this.touched=!1,this.open=!1,this.asking=new AbortController,this.made=null,this.onKey=e=>{let t=e.composedPath()[0];if(e.ctrlKey||e.metaKey||e.altKey||e.defaultPrevented||t instanceof HTMLElement&&t.matches(`input:not([type=checkbox]), textarea, select, [contenteditable]`))return;let n=this.report.findings.map(({id:e})=>e),r=n.indexOf(this.selected??``);e.key===`x`&&this.claims.some(({finding:e})=>e.id===this.selected)&&!this.group&&this.tick(this.selected);let i={j:r+1,k:Math.max(0,r-1)}[e.key],a=i===void 0?void 0:n[Math.min(i,n.length-1)];a!==void 0&&a!==this.selected&&this.select(a)}}static{this.styles=E`
    ${ir}
    :host {
      --label: minmax(0, 340px);
      --number: 128px;
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: block;
      font-size: 13.5px;
      font-variant-numeric: tabular-nums;
    }
    header {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 4px 12px;
      padding: 10px 18px 2px;
    }
    header .note {
      flex: 1 1 200px;
    }
    h2 {
      font-size: 14.5px;
    }
    .switch {
      border: 1px solid var(--control-line);
      border-radius: 6px;
      display: inline-flex;
      flex-wrap: wrap;
      overflow: hidden;
    }
    .switch button {
      background: none;
      border: 0;
      color: var(--ink-2);
      font-size: 12.5px;
      line-height: 24px;
      padding: 0 10px;
    }
    .switch button:focus-visible {
      outline-offset: -2px;
    }
    .switch [aria-pressed='true'] {
      background: var(--info-ground);
      color: var(--accent);
      font-weight: 500;
    }
    .row {
      align-items: stretch;
      display: grid;
      gap: 0 14px;
      grid-template-columns: var(--label) minmax(0, 1fr) var(--number);
      padding: 0 18px;
    }
    .row.finding {
      cursor: pointer;
    }
    .row.finding:hover {
      background: var(--ground);
    }
    .row[data-selected] {
      background: var(--info-ground);
    }
    .label {
      align-items: center;
      display: flex;
      gap: 8px;
      line-height: 17px;
      min-width: 0;
      padding: 1px 0;
    }
    .label b {
      display: block;
      font-weight: 500;
      overflow-wrap: anywhere;
    }
    .label small,
    .folded {
      color: var(--ink-2);
      display: block;
      font-size: 12px;
      line-height: 15px;
      overflow-wrap: anywhere;
    }
    .label button {
      cursor: inherit;
      flex: 1;
      min-width: 0;
    }
    .label input {
      accent-color: var(--accent);
      flex: none;
      height: 15px;
      margin: 0;
      width: 15px;
    }
    .rank {
      border-radius: 10px;
      flex: none;
      font-size: 12px;
      font-weight: 600;
      line-height: 20px;
      min-width: 20px;
      padding: 0 4px;
      text-align: center;
      white-space: nowrap;
    }
    .critical {
      background: var(--critical-ground);
      color: var(--critical);
    }
    .warning {
      background: var(--warning-ground);
      color: var(--warning);
    }
    .info {
      background: var(--info-ground);
      color: var(--info);
    }
    .marked b {
      color: var(--ink-2);
      font-weight: 400;
    }
    .number {
      align-content: center;
      text-align: right;
    }
    .number b {
      font-size: 14.5px;
      font-weight: 500;
      white-space: nowrap;
    }
    .number small {
      color: var(--ink-2);
      display: inline-block;
      font-size: 12px;
      margin-left: 6px;
      white-space: nowrap;
    }
    .gain {
      color: var(--good);
    }
    .axis {
      color: var(--ink-2);
      font-size: 11.5px;
      height: 18px;
      position: relative;
    }
    .axis span {
      position: absolute;
      transform: translateX(-50%);
      white-space: nowrap;
    }
    .axis span:first-child {
      transform: none;
    }
    .edge {
      border-left: 1px dashed var(--control-line);
      bottom: -5px;
      position: absolute;
      top: -5px;
    }
    .gone {
      border: 1px dashed var(--control-line);
      border-radius: 3px;
    }
    .roof {
      background: var(--ink);
      bottom: 1px;
      margin-left: -1px;
      position: absolute;
      top: 1px;
      width: 2px;
    }
    /* The whole text or none of it, as in the blocks. */
    .why {
      color: var(--ink-2);
      display: flex;
      flex-flow: row-reverse wrap;
      font-size: 12px;
      left: 6px;
      line-height: 34px;
      overflow: hidden;
      position: absolute;
      height: 34px;
      top: calc(50% - 17px);
    }
    .why::before {
      content: '';
      height: 34px;
      width: 0;
    }
    .why span {
      padding-right: 8px;
      white-space: nowrap;
    }
    ul {
      list-style: none;
      padding: 0;
    }
    .legend {
      border-top: 1px solid var(--line);
      font-size: 12.5px;
      gap: 3px 16px;
      margin-top: 6px;
      padding: 7px 18px 9px;
    }
    .legend b {
      color: var(--ink);
      font-weight: 500;
    }
    .legend .end {
      margin-left: auto;
    }
    .below,
    .fold {
      border-top: 1px solid var(--line);
      font-size: 12.5px;
      padding: 7px 18px;
    }
    .below p:empty {
      display: none;
    }
    .others {
      border-top: 1px solid var(--line);
      padding: 4px 0 6px;
    }
    .others .row {
      grid-template-columns: minmax(0, 1fr);
    }
    .others .label {
      min-height: 26px;
    }
    .others .folded {
      padding: 1px 18px 2px 58px;
    }
    .limits {
      list-style: disc;
      padding-left: 18px;
    }
    .more {
      margin: 4px 18px;
    }
    .empty {
      padding: 4px 18px 10px;
    }
    .fold table {
      margin-top: 4px;
    }
    @media (max-width: 1199px) {
      :host {
        --label: 240px;
        --number: 88px;
      }
      .number small {
        display: block;
        line-height: 14px;
      }
    }
    @media (max-width: 760px) {
      .row {
        grid-template-columns: minmax(0, 1fr) 84px;
      }
      .row > .label {
        grid-column: 1 / -1;
      }
    }
  `}static{this.properties={report:Object,ask:Object,without:String,selected:String,marks:Object,choice:String,count:Number,rows:Number,replay:Object,problem:String,touched:Boolean,open:Boolean}}changed(e){`report`in e&&(this.count=fr,this.rows=pr,this.touched=!1,this.open=!1,Xn(this.report).some(({id:e})=>e===this.choice)||(this.choice=Xn(this.report)[0]?.id??``))}template(){let{report:e}=this,{ledger:t}=e,n=nr(e);return x`
      <header>
        <h2 id="title" tabindex="-1">${t?`Step budget`:`Findings`}</h2>
        <span class="note">${t?this.about():``}</span>
        ${t?this.switch():S}
      </header>
      <p class="empty" ?hidden=${!n}>${n}</p>
      ${t?this.chart(t):this.noLedger()} ${this.others()}
    `}drawn(e){if(![`report`,`ask`,`without`].some(t=>t in e))return;this.asking.abort(),this.replay=null,this.problem=``;let t=this.ticked.map(({finding:e})=>e.id);this.ask&&this.told&&t.length>0&&this.predict(t,this.ask)}connectedCallback(){super.connectedCallback(),document.addEventListener(`keydown`,this.onKey)}disconnectedCallback(){super.disconnectedCallback(),document.removeEventListener(`keydown`,this.onKey)}get budget(){let{report:e}=this;return this.made?.of!==e&&(this.made={of:e,budget:e.ledger&&Rn(e.ledger,e.findings)}),this.made.budget}get claims(){return this.budget?.claims??[]}get ticked(){let e=Vn(this.without,this.claims);return this.claims.filter(({finding:t})=>e.includes(t.id))}get told(){return this.touched||this.without!==null}get thin(){return this.report.capture_quality?.level===`thin`}get group(){let e=this.choice.startsWith(`group-`)?Number(this.choice.slice(6)):this.report.steps.groups.length&&0;return this.report.steps.groups[e]??null}about(){return this.group?`Where the time goes, summed, not in time order. Steps differ, so each group has its own.`:`Where the time goes, summed, not in time order.${this.claims.length>0?` No nanosecond is claimed twice; untick a finding to project without it.`:``}`}switch(){let e=Xn(this.report);return e.length<2?S:x`<span class="switch" role="group" aria-label="Whose time">
      ${e.map(({id:e,words:t})=>x`<button aria-pressed=${e===this.choice} @click=${()=>this.choose(e)}>
            <span class="name">${t}</span>
          </button>`)}
    </span>`}choose(e){this.choice=e,this.count=fr}chart(e){let{group:t,report:n}=this,r=this.budget,i=t?t.step_ns:r.step_ns,a=t?zn(t.accounts):r.now,o=Qn(n,this.choice),s=Math.max(1,i,...o.slice(0,this.count).map(({step_ns:e})=>e)),c=t?t.accounts:Wn(a);return x`
      <div class="row" aria-hidden="true">
        <span></span>
        <div class="axis">
          ${T(s/1e6).map((e,t)=>x`<span style=${C({left:`${(e*1e8/s).toFixed(3)}%`})}
                >${Number(e.toPrecision(6))}${t===0?` ms`:``}</span
              >`)}
        </div>
      </div>
      <div class="row" id="now">
        <div class="label">
          <div><b>Now</b><small class="name">${this.basis(e)}</small></div>
        </div>
        ${ar(a,{label:dr(`Now, ${M(i)}`,a,i),full:s,step:i,more:t?S:hr(e,s)})}
        <div class="number"><b>${M(i)}</b><small>100&nbsp;%</small></div>
      </div>
      ${this.beside(o,s)}
      ${this.claims.slice(0,this.rows).map(e=>this.claim(e,s,t!==null))}
      ${this.grow(this.claims.length,this.rows,`finding`,()=>this.rows+=pr)}
      ${t||this.claims.length===0?S:this.projection(r,s)} ${this.legend(e,c)}
      ${t?S:this.stays(r)} ${this.table(e)}
    `}basis({devices_total:e}){let{group:t,report:n}=this;if(t)return t.name.endsWith(` steps`)?`mean of ${t.count} ${t.name}`:`mean of ${L(t.count,`step`)} of ${t.name}`;let{count:r}=n.steps,i=r===1?`one step`:`mean of ${L(r,`step`)}`;return e>1?`${i} × ${L(e,`GPU`)}`:i}beside(e,t){return x`
      ${e.slice(0,this.count).map(({name:e,step_ns:n,blocks:r})=>x`<div class="row bar">
            <div class="label"><small class="name">${e}</small></div>
            ${ar(r,{label:dr(`${e}, ${M(n)}`,r,n),full:t,step:n,kind:`small bare`})}
            <div class="number"><small>${M(n)}</small></div>
          </div>`)}
      ${this.grow(e.length,this.count,{steps:`step`,gpus:`GPU`}[this.choice]??`host`,()=>{this.count+=pr})}
    `}grow(e,t,n,r){return e<=t?S:x`<button class="button more" @click=${r}>${e-t>pr?`Show ${pr} more of`:`Show all`} ${L(e,n)}</button>`}claim(e,t,n){let{finding:r,rank:i,ns:a,begin:o,blocks:s}=e,c=this.ticked.includes(e),l=Un(e)||r.cause,u=e=>x`<i class="edge" style=${C({left:`${(e/t*100).toFixed(4)}%`})}></i>`,d=n?`${r.title}: ${M(a)} of a step, averaged over all steps`:dr(`${r.title}, claims ${M(a)}`,s,t);return x`<div
      class="row finding ${this.marks[r.id]?`marked`:``}"
      data-finding=${r.id}
      ?data-selected=${r.id===this.selected}
      @click=${()=>this.select(r.id)}
    >
      <div class="label">
        ${n?S:x`<input
                type="checkbox"
                aria-label="Include in the projection: ${r.title}"
                .checked=${c}
                @click=${e=>e.stopPropagation()}
                @change=${()=>this.tick(r.id)}
              />`}
        ${this.head(r,i)}
      </div>
      ${ar(n?[]:s,{label:d,full:t,step:this.budget?.step_ns??0,kind:c?``:`pale`,more:n?x`<div class="why" style="right: 0"><span>averaged over all steps, not of this group</span></div>`:x`${u(o)}${u(o+a)}
              <div class="why" style=${C({right:`${((t-o)/t*100).toFixed(4)}%`})}>
                <span>${l}</span>
              </div>`})}
      <div class="number">
        <b>−${M(a)}</b><small>${n?``:N(a/Math.max(1,this.budget?.step_ns??1))}</small>
        ${r.saving?.once_ns?x`<small>${Tn(r.saving)}</small>`:S}
      </div>
    </div>`}head({id:e,severity:t,title:n,action:r},i){let a=this.marks[e];return x`<span class="rank ${t}" title=${t} aria-hidden="true">${i}&nbsp;${a?{done:`✓`,irrelevant:`–`}[a]:dn[t]}</span>
      <button class="bare pick" aria-pressed=${e===this.selected}>
        <span class="unseen">${i}, ${t}${a?`, marked as ${ht[a]}`:``}: </span
        ><b class="name">${n}</b>${r?x`<small class="name">${r}</small>`:S}
      </button>`}projection(e,t){let n=new Set(this.ticked.map(({rank:e})=>e)),r=Bn(e,n),i=z(r),a=this.thin&&i<e.step_ns?`≥\xA0`:``;return x`<div class="row" id="projected">
      <div class="label">
        <div><b>Projected</b><small>${Jn(n.size,e.claims.length)}</small></div>
      </div>
      ${ar(r,{label:dr(`Projected, ${a}${M(i)}`,r,i),full:t,step:i,more:i<e.step_ns?x`<i class="gone" style=${C(sr({begin:i,ns:e.step_ns-i},t))}></i>`:S})}
      <div class="number">
        <b class=${i<e.step_ns?`gain`:``}>${a}${M(i)}</b
        ><small>${Yn(e.step_ns,i)}</small>
      </div>
    </div>`}legend(e,t){let{shown:n,rest:r,active_ratio:i}=Gn(t),{hidden_communication_ns:a,hidden_copy_ns:o}=e,s=[a>0?`${M(a)} communication`:``,o>0?`${M(o)} copies`:``].filter(Boolean),c=s.length>0&&!this.group?` · ${s.join(` and `)} hidden`:``,l=Math.max(1,z(t));return x`<ul class="legend" aria-label="Accounts of the step">
      ${n.map(({id:e,ns:t})=>x`<li>
            ${or(e)}<span
              ><tfperf-text .text=${w(e).words}></tfperf-text>
              <b>${M(t)}</b> ${N(t/l)}</span
            >
          </li>`)}
      ${this.claims.length>0&&!this.group?x`<li>${or(`idle.unknown`,!0)}<span>striped: a finding claims it</span></li>`:S}
      ${r?x`<li>${r}</li>`:S}
      <li class="end">
        <span>GPU active <b>${N(i)}</b>${c}</span>
      </li>
    </ul>`}stays(e){let t=new Set(this.ticked.map(({rank:e})=>e)),n=tr(this.report),r=qn(e,t,this.thin),i=this.told?this.replay?.limits??[]:[],a=this.told&&e.claims.length>0?this.said(e,t):``;return x`
      <div class="below" ?hidden=${!n}><p class="name">${n}</p></div>
      <div class="below" ?hidden=${!r}>
        <p><b>What stays:</b> ${r}</p>
      </div>
      <div class=${a?`below`:`unseen`}>
        <p id="said" role="status">${a}</p>
        <ul class="limits" aria-label="What limits the replay" ?hidden=${i.length===0}>
          ${i.map(e=>x`<li>${e}</li>`)}
        </ul>
      </div>
    `}said(e,t){let n=z(Bn(e,t)),r=`Projected ${this.thin&&n<e.step_ns?`≥\xA0`:``}${M(n)} ${Jn(t.size,e.claims.length)}.`;if(this.problem)return`${r} ${this.problem}`;if(!this.replay||t.size===0)return r;let{predicted_ns:i,step_ns:a,error:o}=this.replay,s=M(i),c=s===M(n)?``:` The recorded step, replayed without their causes: ${s}.`;if(!o)return`${r}${c}`;let l=M(Math.max(0,i-o.high_ratio*a)),u=M(Math.min(a,i-o.low_ratio*a));return`${r}${c} Likely ${l===u?l:`${l} to ${u}`}, as in nine of ten of ${o.runs} simulated runs.`}table({step_ns:e}){let{report:t,group:n}=this,r=this.budget;if(n||!r)return S;let i=[...new Set(r.now.map(({account:e})=>e))],a=e=>r.now.filter(({account:t})=>t===e),o=e=>t.idle.find(({account:t})=>t===e)?.sentence??``;return x`<details
      class="fold"
      .open=${this.open}
      @toggle=${e=>this.open=e.target.open}
    >
      <summary>The numbers as a table</summary>
      ${this.open?x`<div class="scroll" tabindex="0" role="region" aria-label="The numbers as a table">
              <table>
                <thead>
                  <tr>
                    <th>Account</th>
                    <th class="number">Now</th>
                    <th class="number">Share</th>
                    <th class="number">Claimed</th>
                    <th>Why</th>
                  </tr>
                </thead>
                <tbody>
                  ${i.map(t=>{let[n,r]=[z(a(t)),z(a(t).filter(({owner:e})=>e>0))];return x`<tr>
                      <td>${w(t).words}</td>
                      <td class="number">${M(n)}</td>
                      <td class="number">${N(n/Math.max(1,e))}</td>
                      <td class="number">${r>0?M(r):``}</td>
                      <td class="name"><tfperf-text .text=${o(t)}></tfperf-text></td>
                    </tr>`})}
                  <tr>
                    <td><b>Step</b></td>
                    <td class="number">${M(e)}</td>
                    <td class="number">100&nbsp;%</td>
                    <td class="number">${M(z(this.claims))}</td>
                    <td></td>
                  </tr>
                </tbody>
              </table>
            </div>`:S}
    </details>`}others(){let{findings:e}=this.report,t=new Set(this.claims.map(({finding:e})=>e.id)),n=e.map((e,t)=>({finding:e,rank:t+1})).filter(({finding:e})=>!t.has(e.id)||e.explains.length>0);return n.length===0?S:x`<ul class="others" aria-label="Findings without a block, and what others explain">
        ${n.slice(0,this.rows).map(({finding:e,rank:n})=>x`<li>
              ${t.has(e.id)?S:x`<div
                      class="row finding"
                      ?data-selected=${e.id===this.selected}
                      data-finding=${e.id}
                      @click=${()=>this.select(e.id)}
                    >
                      <div class="label">${this.head(e,n)}</div>
                    </div>`}
              ${e.explains.map(({title:e,severity:t})=>x`<span class="folded name">${dn[t]} ${e}: explained by ${n}</span>`)}
            </li>`)}
      </ul>
      ${this.grow(n.length,this.rows,`finding`,()=>this.rows+=pr)}`}noLedger(){let{gpus:e,steps:t,input:n,devices:r}=this.report;return e.total===0?x`<div class="empty">
        <p>No GPU was recorded in this profile, so there is no GPU time to divide.</p>
        ${n?.sentence?x`<p class="name"><b>Input pipeline:</b> <tfperf-text .text=${n.sentence}></tfperf-text></p>`:S}
      </div>`:x`<div class="empty">
      <p>${t.count===0?`No complete step can be told in this profile, so shares of the recording stand in place of ms per step.`:`Nothing was recorded on the GPUs during the steps of this profile.`}</p>
      ${t.count===0?r.slice(0,fr).map(({device:e,busy_ratio:t})=>x`<p class="note">
                    ${R(e)}: <b>${N(t)}</b> of the recording runs kernels or copies,
                    waiting inside collectives included.
                  </p>`):S}
    </div>`}select(e){O(this,`finding-select`,{id:e})}tick(e){let t=this.claims.map(({finding:e})=>e.id).filter(t=>this.ticked.some(({finding:e})=>e.id===t)!==(t===e));this.touched=!0,O(this,`without-change`,{without:Hn(t,this.claims)})}async predict(e,t){let{signal:n}=this.asking=new AbortController;try{let r=await t(e,n);n.aborted||(this.replay=r)}catch(e){n.aborted||(this.problem=e instanceof h?e.message:`The step could not be replayed.`)}}};function hr({compute_floor_ns:e},t){return e===null||e<=0?S:x`<i
    class="roof"
    style=${C({left:`${(e/t*100).toFixed(4)}%`})}
    title="At the GPU’s limits, the work of this step needs ${M(e)}"
  ></i>`}customElements.define(`tfperf-budget`,mr);var gr={forward:[`forward pass`,`solid`],loss:[`loss`,`cross`],backward:[`backward pass`,`rising`],optimizer:[`optimizer`,`bars`]};function B(e){let[t,n]=gr[e]??[`not told by its name`,`dots`];return{words:t,pattern:n,colour:e in gr?`--account-compute`:`--account-unknown`}}function _r(e){return e in gr?B(e).words:``}function vr({id:e,ns:t,ratio:n}){return`${B(e).words}, ${M(t)}, ${N(n)} of compute`}function yr({items:e,reason:t}){if(!e)return`Compute cannot be divided into forward and backward pass. ${t}`;let[n,r]=[...e].filter(({id:e})=>e in gr).sort((e,t)=>t.ns-e.ns);if(!n||n.ns===0)return``;let i=r&&r.ns>0?`, the ${B(r.id).words} ${M(r.ns)} (${N(r.ratio)})`:``;return`Of the compute time of a step, the ${B(n.id).words} takes ${M(n.ns)} (${N(n.ratio)})${i}.`}function br(e,t=72){if(e.length<=t)return e;let n=Math.ceil(.35*(t-1));return`${e.slice(0,n)}…${e.slice(e.length-(t-1-n))}`}function xr(e,{phase:t,text:n},r){let i=n.toLowerCase().split(/\s+/).filter(Boolean);return e.filter(e=>{if(t!==``&&e.phase!==t)return!1;let n=r(e).join(`
`).toLowerCase();return i.every(e=>n.includes(e))})}function Sr({rows:e,types:t}){let[n]=e;if(!n)return``;let r=t.filter(({type:e})=>e!==``).slice(0,3).map(({type:e,phase:t,ns:n,ratio:r})=>{let i=_r(t);return`${e}${i?` (${i})`:``} ${M(n)}, ${N(r)}`}),i=`${br(n.name||`Work without an op`)} takes the most of a single op: ${M(n.ns)} (${N(n.ratio)}).`;return r.length>0?`Most kernel time by type of op: ${r.join(`; `)}. ${i}`:i}function Cr({tensor_cores:e,eligible:t}){return e?`used`:t===null?`not used`:t?`not used, could be`:`not for this op`}function wr(e){return e.flatMap(e=>e.flops&&e.bytes&&e.judged_ns?[{op:e,intensity:e.flops/e.bytes,rate:e.flops/e.judged_ns*1e9}]:[]).sort((e,t)=>t.op.ns-e.op.ns)}function Tr({flops:e,judged_ns:t}){return e!==null&&t?e/t*1e9:null}function Er({peak_ns:e,judged_ns:t}){return e!==null&&t?e/t:null}function Dr({floor_ns:e,judged_ns:t}){return e===null||t===null?null:Math.max(0,t-e)}function Or(e,{rates:t}){let n=new Set(e.map(({op:e})=>e.format)),r=t.filter(({format:e})=>n.has(e));return[...r.length>0?r:t].sort((e,t)=>t.flops_per_s-e.flops_per_s)}function kr({flops_per_s:e},{bytes_per_s:t}){return e/t}function Ar(e,t,n){let r=e=>[Math.min(...e)/2,Math.max(...e)*2];return{x:r([...e.map(e=>e.intensity),...t.map(e=>kr(e,n))]),y:r([...e.map(({rate:e})=>e),...t.map(({flops_per_s:e})=>e)])}}function jr({op:e,intensity:t,rate:n}){let r=Er(e);return[br(e.name||e.type||`not named`),`${bn(n)} at ${Sn(t)}`,`${r===null?``:`${N(r)} of its bound, `}bound by ${e.bound_by}`,`${M(e.ns)}, ${N(e.ratio)} of kernel time`].join(`; `)}function Mr(e,{total:t}){let n=e.reduce((e,{op:t})=>e+t.ratio,0);return`Shown: ${L(e.length,`op`)} of ${F(t)}, ${N(Math.min(1,n))} of the kernel time. The work of the others is not known, or they do no floating-point operations.`}function Nr(e,t){let n=e.map(e=>`${e.format} ${Sn(kr(e,t))}`);return`Ridge points of ${t.name||`this GPU`}: ${n.join(`, `)}.`}function Pr(e){return e.roofline!==null&&e.ops!==null||Fr(e)!==``}function Fr({ledger:e,roofline:t,key_numbers:n}){return!e||t||n.compute_judged_ratio!==null?``:`Compute is not held against the GPU’s limits. ${n.mfu_basis||`The profile does not say what its kernels compute, or the GPU’s peaks are not known.`}`}var Ir={ArrowLeft:{by:e=>e.intensity,move:-1},ArrowRight:{by:e=>e.intensity,move:1},ArrowDown:{by:({rate:e})=>e,move:-1},ArrowUp:{by:({rate:e})=>e,move:1}};function Lr(e,t,n){let r=Ir[n];if(!r)return n===`Home`?0:n===`End`?e.length-1:null;let i=e.map((e,t)=>t).sort((t,n)=>r.by(e[t])-r.by(e[n]));return i[i.indexOf(t)+r.move]??t}var Rr=`http://www.w3.org/2000/svg`;function V(e,t={},...n){let r=document.createElementNS(Rr,e);for(let[e,n]of Object.entries(t))r.setAttribute(e,String(n));return r.append(...n),r}var zr={rising:`M-2 2L2 -2M0 8L8 0M6 10L10 6`,falling:`M-2 6L2 10M0 0L8 8M6 -2L10 2`,cross:`M0 0L8 8M8 0L0 8`,bars:`M2 0V8M6 0V8`,dots:`M1.5 2H3.5M5.5 6H7.5`},Br=0,Vr=class{constructor(){this.defs=V(`defs`),this.prefix=`pattern-${++Br}`,this.made=new Set}fill(e,t){return V(`rect`,{...t,fill:e.pattern===`solid`?`var(${e.colour})`:`url(#${this.tile(e.colour,e.pattern)})`})}tile(e,t){let n=`${this.prefix}${e}-${t}`;return this.made.has(n)||(this.made.add(n),this.defs.append(V(`pattern`,{id:n,width:8,height:8,patternUnits:`userSpaceOnUse`},V(`rect`,{x:-1,y:-1,width:10,height:10,fill:`var(${e})`,stroke:`none`}),V(`path`,{d:zr[t],fill:`none`,stroke:`var(--hatch)`,"stroke-width":t===`dots`?2:1.2})))),n}};function Hr(e){let t=new Vr;return V(`svg`,{width:12,height:12,"aria-hidden":`true`},t.defs,t.fill(e,{width:12,height:12}))}function H(e,...t){let n=document.createElement(`li`),r=document.createElement(`span`);return r.append(...t),n.append(Hr(e),r),n}function Ur(e,t){let n=mt(e,t);return n?Object.assign(document.createElement(`tfperf-term`),{word:e,meaning:n}):e}var Wr=class extends D{constructor(...e){super(...e),this.heading=``,this.columns=[],this.items=[],this.note=``,this.panel=``,this.open=!1,this.order=null}static{this.styles=E`
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
  `}static{this.properties={heading:String,columns:Array,items:Array,panel:String,note:String,open:Boolean,order:Object}}template(){return x`
      <details ?hidden=${this.items.length===0} .open=${this.open} @toggle=${this.onToggle}>
        <summary>${this.heading}</summary>
        <div id="table" class="scroll" tabindex="0" role="group" aria-label=${this.heading}></div>
        <p class="note name" ?hidden=${!this.note}>${this.note}</p>
      </details>
    `}onToggle(e){this.open=e.target.open}drawn(e){let{columns:t,items:n,open:r,order:i}=this;[`columns`,`items`,`open`,`order`].some(t=>t in e)&&this.child(`table`).replaceChildren(...r?[Kr(t,this.panel,Gr(n,i),i,e=>{this.order={column:e,usual:this.order?.column!==e||!this.order.usual},this.drawNow(),this.shadowRoot.querySelectorAll(`th button`)[t.filter(({value:e})=>e).indexOf(e)]?.focus()})]:[])}};function Gr(e,t){let n=t?.column.value;if(!n)return e;let r=t.usual?1:-1;return[...e].sort((e,t)=>{let[i,a]=[n(e),n(t)];return i===null||a===null||i===``||a===``?Number(i===null||i===``)-Number(a===null||a===``):r*(typeof i==`number`&&typeof a==`number`?a-i:String(i).localeCompare(String(a),`en`,{numeric:!0}))})}function Kr(e,t,n,r,i){let a=(t,n)=>{let r=document.createElement(`tr`);return r.append(...e.map(e=>{let r=document.createElement(t);return r.className=e.kind??``,r.append(n(e,r)),r})),r},o=(e,n)=>{if(!e.value)return Ur(e.head,t);let a=document.createElement(`button`);if(a.className=`bare`,a.textContent=e.head,a.addEventListener(`click`,()=>i(e)),r?.column===e){let t=r.usual===(e.kind===`number`);n.setAttribute(`aria-sort`,t?`descending`:`ascending`),a.dataset.arrow=t?` ▾`:` ▴`}let o=mt(e.head,t);if(!o)return a;let s=document.createDocumentFragment(),c=document.createElement(`span`);return s.append(a,c),a.classList.add(`term`),a.setAttribute(`aria-description`,o),sn(a,c,()=>o),s},s=document.createElement(`table`);return s.createTHead().append(a(`th`,o)),s.createTBody().append(...n.map((e,t)=>a(`td`,({cell:n})=>n(e,t)))),s}customElements.define(`tfperf-table`,Wr);var qr=200,Jr={"host.compile":[`tracing or compiling`,`compile`,`cross`],"host.input":[`the step waits for its batch`,`input`,`rising`],"host.sync":[`waits for a GPU`,`sync`,`falling`],"host.callback":[`callbacks, metrics, checkpoints`,`between`,`cross`],"host.eager":[`ops that Python runs one by one`,`between`,`dots`],"host.step":[`inside the step’s function`,`unknown`,`solid`],"host.launch":[`launches kernels`,`launch`,`solid`],"host.op":[`an op of the step runs on the CPU`,`host-op`,`bars`],"host.pipeline":[`the input pipeline works`,`input`,`solid`]},Yr={step:`Host: step`,launches:`Host: launches`,input:`Host: input`};function Xr(e){let t=Jr[e];return t?{words:t[0],colour:`--account-${t[1]}`,pattern:t[2]}:w(e)}function Zr(e){return`${e in Jr?`host: `:``}${Xr(e).words}`}function Qr({host:e,name:t,is_gpu:n,kernels:r},i){let a=n?`${R(t)}${r?` kernels`:``}`:Yr[t]??t;return i?`${e} · ${a}`:a}function $r({begin:e,end:t},n){let r=Math.min(Math.max(t-e,Math.min(qr,n)),n),i=Math.min(Math.max(e,0),n-r);return{begin:i,end:i+r}}function ei({begin:e,end:t},n,r,i){return $r({begin:r-(r-e)/n,end:r+(t-r)/n},i)}function ti({begin:e,end:t},n,r){let i=t-e,a=Math.min(Math.max(e+n,0),r-i);return{begin:a,end:a+i}}function ni({begin:e,end:t},n){let r=Math.max((t-e)*.25,qr);return $r({begin:e-r,end:t+r},n)}function U({end_ns:e},t){let[n,r]=[0,e.length];for(;n<r;){let i=n+r>>1;e[i]<=t?n=i+1:r=i}return n}function ri(e,t){let n=U(e,t);return(e.begin_ns[n]??1/0)<=t?n:-1}function W(e,{row:t,span:n}){let{begin_ns:r,end_ns:i}=e.rows[t];return{row:t,begin:r[n]??0,end:i[n]??0}}function ii(e,{row:t,span:n}){let r=e.rows[t],[i,a,o]=[r.begin_ns[n]??0,r.end_ns[n]??0,r.pieces[n]??1],s=r.code[n]??0,c=r.kernels?e.names[s]??``:Xr(e.codes[s]??``).words;return{row:Qr(r,e.hosts.length>1),what:o>1?`${F(o)} short pieces, mostly ${c}`:c,begin:i,length:a-i}}function ai(e,t){return ii(e,t).what}function oi(e,t){let{row:n,what:r,begin:i,length:a}=ii(e,t);return`${n}: ${r}, ${M(a)}, `+(i>0?`${M(i)} into the step`:`at the begin of the step`)}function si(e,t,n){let r=e.rows.flatMap((e,n)=>{let r=U(e,t.begin),i=U({...e,end_ns:e.begin_ns},t.end-1);return Array.from({length:Math.max(i-r,0)},(e,t)=>({row:n,span:r+t}))}),i=t=>W(e,t).end-W(e,t).begin;return{lines:(r.length>n?[...r].sort((e,t)=>i(t)-i(e)).slice(0,n):r).sort((e,t)=>e.row-t.row||e.span-t.span).map(t=>ii(e,t)),total:r.length}}function ci({rows:e},t){return t.flatMap(t=>e.flatMap((e,n)=>{if(e.host!==t.host||e.pieces_count===0||t.device!==null&&(!e.is_gpu||e.name!==t.device))return[];let[r,i]=[t.begin_ms,t.end_ms].map(t=>Math.round((t-e.origin_ms)*1e6));return i>0&&r<e.length_ns?[{row:n,begin:Math.max(r,0),end:Math.min(i,e.length_ns)}]:[]}))}function li(e,{row:t,begin:n,end:r},i){let{host:a,name:o,is_gpu:s,origin_ms:c}=e.rows[t],l=Number.parseInt(e.step,10);return{host:a,begin_ms:c+n/1e6,end_ms:c+r/1e6,label:i,device:s?o:null,stream:null,step:l}}function ui({rows:e,codes:t}){return t.filter(t=>e.some(({sums_ns:e})=>(e[t]??0)>0))}var di=16,fi=40,pi=8;function mi(e,t,n){let r=getComputedStyle(e),i=e=>r.getPropertyValue(e).trim();return{fills:t.map(e=>hi(Xr(e),i,n)),text:i(`--ink-2`),line:i(`--line`),accent:i(`--accent`),ink:i(`--ink`),font:`12px ${r.fontFamily}`,kernels:[i(`--info-ground`),i(`--line`)]}}function hi({colour:e,pattern:t},n,r){let i=n(e);if(t===`solid`)return i;let a=document.createElement(`canvas`);a.width=a.height=pi;let o=a.getContext(`2d`);return o?(o.fillStyle=i,o.fillRect(0,0,pi,pi),o.strokeStyle=n(`--hatch`),o.lineWidth=t===`dots`?2:1.2,o.stroke(new Path2D(zr[t])),r.createPattern(a,`repeat`)??i):i}function gi(e,t,n,r,i,a,o,s){let c=t/(r.end-r.begin),l=e=>(e-r.begin)*c,u=e=>22+e*22;e.clearRect(0,0,t,u(n.rows.length)),vi(e,t,r,u(n.rows.length),i),n.rows.forEach((t,a)=>{let o=u(a)+3;t.kernels?_i(e,t,n.names,r,l,o,i):yi(e,t,r,l,o,i.fills)});let d=({row:n,begin:r,end:i},a)=>{e.strokeStyle=a,e.lineWidth=2;let[o,s]=[Math.max(l(r),-4),Math.min(l(i),t+4)];e.strokeRect(o,u(n)+2,Math.max(s-o,3),18)};for(let e of a)e.end>=r.begin&&e.begin<=r.end&&d(e,i.accent);if(o&&d(o,i.ink),s){e.strokeStyle=e.fillStyle=i.ink,e.lineWidth=1;for(let{from_row:t,at_ns:i,to_row:a,kernel_ns:o}of n.arrows){if(i<r.begin||i>r.end)continue;let[n,s]=[Math.round(l(i))+.5,Math.round(l(o))+.5],c=u(a)+3;e.beginPath(),e.moveTo(n,u(t)+11),e.lineTo(n,c-5),e.lineTo(s,c-5),e.stroke(),e.beginPath(),e.moveTo(s-3.5,c-5),e.lineTo(s+3.5,c-5),e.lineTo(s,c+1),e.fill()}}}function _i(e,{begin_ns:t,end_ns:n,code:r},i,a,o,s,c){e.font=c.font;for(let l=U({end_ns:n},a.begin);l<r.length;l++){let u=t[l];if(u>=a.end)break;let[d,f]=[Math.max(Math.round(o(u)),0),Math.round(o(Math.min(n[l],a.end)))];f<=d||(e.fillStyle=c.kernels[l%2],e.fillRect(d,s,f-d,di),f-d<fi||(e.save(),e.beginPath(),e.rect(d,s,f-d-2,di),e.clip(),e.fillStyle=c.ink,e.fillText(i[r[l]]??``,d+3,s+12),e.restore()))}}function vi(e,t,n,r,i){let a=n.end-n.begin,[,o=a]=T(a);e.font=i.font,e.fillStyle=i.text;for(let r=Math.ceil(n.begin/o)*o;r<=n.end;r+=o){let i=Math.round((r-n.begin)/a*t);e.fillRect(i,17,1,5);let o=M(Math.round(r)),s=e.measureText(o).width;e.fillText(o,Math.min(Math.max(i-s/2,0),t-s),12)}e.fillStyle=i.line,e.fillRect(0,21,t,1),e.fillRect(0,r-1,t,1)}function yi(e,{begin_ns:t,end_ns:n,code:r},i,a,o,s){let c=-1;for(let l=U({end_ns:n},i.begin);l<r.length;l++){let u=t[l];if(u>=i.end)break;let[d,f]=[Math.max(Math.round(a(u)),0),Math.round(a(Math.min(n[l],i.end)))];f<=d||(r[l]!==c&&(e.fillStyle=s[c=r[l]]??``),e.fillRect(d,o,f-d,di))}}var bi=120,xi=1.6,Si=.15,Ci=4,wi=class extends D{constructor(...e){super(...e),this.data=null,this.fine=null,this.marks=[],this.chosen=null,this.tags=[],this.expected=0,this.arrows=!1,this.view={begin:0,end:1},this.at={row:0,span:0},this.ink=null,this.frame=0,this.resting=0,this.held=null,this.watchers=[]}static{this.styles=E`
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
    .tag {
      background: var(--ground);
      border-radius: 4px;
      color: var(--ink-2);
      font-size: 12px;
      padding: 1px 5px;
    }
    .tag.late {
      background: var(--critical-ground);
      color: var(--critical);
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
      height: 0;
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
  `}static{this.properties={data:Object,fine:Object,marks:Array,chosen:Object,tags:Array,expected:Number,arrows:Boolean}}template(){let{data:e}=this,t=(e?.hosts.length??0)>1;return x`
      <div id="wrap">
        <div id="frame" style="min-height:min(${22+this.expected*22}px, 70vh)">
          <div id="labels" aria-hidden="true">${e?.rows.map((e,n)=>{let r=Qr(e,t),i=this.tags[n];return x`<div
        class=${e.is_gpu&&!e.kernels?``:`host`}
        title=${i?`${r}: ${i.words}. ${i.meaning}`:r}
      >
        ${r} ${i?x`<span class=${i.late?`tag late`:`tag`}>${i.words}</span>`:S}
      </div>`})}</div>
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
    `}drawn(){this.draw()}ready(){super.ready(),this.tip=new k(this.child(`wrap`))}connectedCallback(){super.connectedCallback();let e=new ResizeObserver(()=>this.draw());e.observe(this.child(`plot`));let t=new MutationObserver(()=>{this.ink=null,this.draw()});t.observe(document.documentElement,{attributes:!0,attributeFilter:[`data-theme`]}),this.watchers.push(e,t)}disconnectedCallback(){super.disconnectedCallback();for(let e of this.watchers.splice(0))e.disconnect()}wordsOf({row:e,begin:t}){let{spans:n}=this,r=n?.rows[e];if(!n||!r)return``;let i=ri(r,t);return i<0?``:ai(n,{row:e,span:i})}show(e){this.data=e,this.fine=null,this.ink=null,this.at={row:0,span:0},this.move({begin:0,end:Math.max(e.length_ns,1)})}get spans(){let{fine:e,view:t}=this;return e&&e.begin_ns<=t.begin&&e.end_ns>=t.end?e:this.data}get width(){return Math.max(Math.round(this.child(`plot`).clientWidth),100)}move(e){this.view=e,this.tip.hide(),this.draw(),clearTimeout(this.resting),this.resting=window.setTimeout(()=>O(this,`view-rest`),bi)}zoom(e,t=(this.view.begin+this.view.end)/2){this.data&&this.move(ei(this.view,e,t,this.data.length_ns))}zoomIn(){this.zoom(xi)}zoomOut(){this.zoom(1/xi)}showAll(){this.data&&this.move({begin:0,end:this.data.length_ns})}draw(){this.frame||=requestAnimationFrame(()=>{this.frame=0,this.drawNow()})}get canvas(){return this.child(`canvas`)}drawNow(){super.drawNow();let{spans:e,canvas:t}=this,n=t.getContext(`2d`),r=this.child(`plot`).clientWidth;if(!e||!n||r===0)return;let i=22+e.rows.length*22,a=window.devicePixelRatio||1,[o,s]=[Math.round(r*a),Math.round(i*a)];(t.width!==o||t.height!==s)&&([t.width,t.height]=[o,s],t.style.height=`${i}px`),this.ink??=mi(this,e.codes,n),n.setTransform(a,0,0,a,0,0),gi(n,r,e,this.view,this.ink,this.marks,this.chosen,this.arrows)}pan(e){this.data&&this.move(ti(this.view,e*(this.view.end-this.view.begin),this.data.length_ns))}toNs(e){return this.view.begin+e/this.width*(this.view.end-this.view.begin)}point(e){let{spans:t,view:n,width:r}=this;if(!t)return;let{begin:i,end:a}=W(t,e),o=r/(n.end-n.begin),s=Math.max((i-n.begin)*o,0),c=Math.min((a-n.begin)*o,r),l=this.child(`spot`),u=22+e.row*22;l.style.cssText=`left:${s}px;width:${Math.max(c-s,1)}px;top:${u}px;height:22px`,this.tip.show(l,oi(t,e))}go({row:e,span:t}){let{spans:n,view:r,data:i}=this,a=n?.rows[e];if(!n||!i||!a)return;if(a.code.length===0){this.at={row:e,span:0},this.tip.hide();return}this.at={row:e,span:Math.min(Math.max(t,0),a.code.length-1)};let{begin:o,end:s}=W(n,this.at);(s<=r.begin||o>=r.end)&&this.move(ti(r,(o+s-r.begin-r.end)/2,i.length_ns)),this.point(this.at)}get current(){let{spans:e,at:t,view:n}=this,r=e?.rows[t.row];if(!e||!r)return t;let{begin:i,end:a}=W(e,t);return a>n.begin&&i<n.end?t:{row:t.row,span:Math.min(U(r,n.begin),Math.max(r.code.length-1,0))}}zoomAt(e){let{spans:t,current:n,view:r}=this;if(!t)return;let{begin:i,end:a}=W(t,n),o=(Math.max(i,r.begin)+Math.min(a,r.end))/2;this.zoom(e,Math.min(Math.max(o,r.begin),r.end))}goRow(e){let{spans:t,current:n,view:r}=this,i=t?.rows[n.row+e];t&&i&&this.go({row:n.row+e,span:U(i,Math.max(W(t,n).begin,r.begin))})}choose(e){let{spans:t}=this;e&&(this.at=e),O(this,`span-choose`,e&&t?{mark:W(t,e),words:oi(t,e)}:{mark:null,words:``})}spotAt(e){let t=this.canvas.getBoundingClientRect(),n=Math.floor((e.clientY-t.top-22)/22),r=this.spans?.rows[n];if(!r)return null;let i=ri(r,this.toNs(e.clientX-t.left));return i<0?null:{row:n,span:i}}onFocus(){let e=this.spans?.rows[this.at.row];e&&!this.held&&this.go({row:this.at.row,span:U(e,this.view.begin)})}onBlur(){this.tip.hide()}onKey(e){let{key:t,shiftKey:n}=e;if(e.ctrlKey||e.metaKey||e.altKey)return;let r={ArrowLeft:-1,ArrowRight:1}[t],i={ArrowUp:-1,ArrowDown:1}[t];if(r!==void 0&&n)this.go({row:this.at.row,span:this.current.span+r});else if(r!==void 0)this.pan(r*Si);else if(i!==void 0)this.goRow(i);else if(t===`+`||t===`=`)this.zoomAt(xi);else if(t===`-`)this.zoomAt(1/xi);else if(t===`0`)this.showAll();else if(t===`Enter`||t===` `)this.choose(this.current);else if(t===`Escape`&&this.chosen)this.choose(null);else return;e.preventDefault()}onWheel(e){let t=e.shiftKey&&e.deltaY||e.deltaX;if(e.ctrlKey||e.metaKey){let t=e.clientX-this.canvas.getBoundingClientRect().left;this.zoom(2**(-e.deltaY/200),this.toNs(t))}else if(Math.abs(t)>(e.shiftKey?0:Math.abs(e.deltaY)))this.pan(t/this.width);else return;e.preventDefault()}onDown(e){e.button===0&&(this.held={x:e.clientX,view:this.view,moved:!1},this.canvas.setPointerCapture(e.pointerId))}onMove(e){let{held:t,data:n}=this;if(!t||!n){let t=this.spotAt(e);t?this.point(t):this.tip.hide();return}let r=e.clientX-t.x;t.moved||=Math.abs(r)>Ci,t.moved&&(this.canvas.classList.add(`held`),this.move(ti(t.view,-r/this.width*(t.view.end-t.view.begin),n.length_ns)))}onUp(e){let{held:t}=this;this.held=null,this.canvas.classList.remove(`held`),t&&!t.moved&&e.type===`pointerup`&&this.choose(this.spotAt(e))}onLeave(){this.held||this.tip.hide()}};customElements.define(`tfperf-timeline-plot`,wi);function Ti(e,{steps:t,by_host:n}){if(e.step===null)return null;let r=e.step+(n.find(({host:t})=>t===e.host)?.step_shift??0),i=t.columns.filter(e=>e.number===r);return(i.filter(({host:t,begin_ms:n})=>t===e.host&&n<=e.begin_ms+1e-6).at(-1)??i[0])?.id??String(r)}function Ei(e,t,n){let{columns:r,columns_total:i}=n.steps,a=e=>r.some(t=>t.id===e);return e!==null&&(a(e)||i>r.length)?e:t.map(e=>Ti(e,n)).find(a)??Di(n.steps)?.id??null}function Di({columns:e,p50_ns:t}){let n=e.filter(e=>e.judged),r=({step_ns:e})=>Math.abs(e-t);return(n.length>0?n:e).reduce((e,t)=>e===void 0||r(t)<r(e)?t:e,void 0)}async function Oi(e){try{return await navigator.clipboard.writeText(e),!0}catch{return ki(e)}}function ki(e){let t=Ai(document.activeElement),n=document.createElement(`textarea`);n.value=e,n.style.cssText=`position:fixed;opacity:0`,document.body.append(n),n.select();try{return document.execCommand(`copy`)}catch{return!1}finally{n.remove(),t?.focus({preventScroll:!0})}}function Ai(e){let t=e?.shadowRoot?.activeElement;return t?Ai(t):e}var ji=class extends D{constructor(...e){super(...e),this.words=``,this.text=``,this.link=``,this.said=``,this.shown=``}static{this.styles=E`
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
  `}static{this.properties={words:String,text:String,link:String,said:String,shown:String}}changed(e){`link`in e&&(this.said=this.shown=``)}template(){return x`
      <button class="bare" @click=${this.onCopy}>${this.words}</button
      ><span role="status" class="note"> ${this.said}</span>
      <input readonly .value=${this.shown} aria-label=${this.words} ?hidden=${!this.shown} />
    `}async onCopy(){let e=this.link?an(this,`link`,{id:this.link})??``:this.text,t=await Oi(e);if(this.said=t?`Copied`:`Press Ctrl+C to copy:`,this.shown=t?``:e,t)return;this.drawNow();let n=this.shadowRoot.querySelector(`input`);n?.focus(),n?.select()}};customElements.define(`tfperf-copy`,ji);var Mi=class extends D{static{this.styles=E`
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
  `}static{this.properties={items:Array}}template(){return x`
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
          ${this.items.map(Ni)}
        </tbody>
      </table>
    `}};function Ni(e){let t=I(e.value,e.unit);return x`
    <tr>
      <td class=${/^\p{L}/u.test(e.label)?`sentence`:``}><tfperf-text .text=${e.label}></tfperf-text></td>
      <td class=${t.length>24?`words`:`number`}>${t}</td>
      <td class="against">
        <div>${wn(e)}</div>
        <div>${e.source}</div>
      </td>
    </tr>
  `}customElements.define(`tfperf-evidence`,Mi);var Pi=class extends D{constructor(...e){super(...e),this.code=``,this.framework=``,this.said=``}static{this.styles=E`
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
  `}static{this.properties={code:String,framework:String,said:String}}changed(e){`code`in e&&(this.said=``)}template(){let{framework:e,said:t}=this;return x`
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
    `}async onCopy(){let e=await Oi(this.code);e||window.getSelection()?.selectAllChildren(this.child(`code`)),this.said=e?`Copied`:`Selected: press Ctrl+C`}};customElements.define(`tfperf-code`,Pi);var Fi=class extends D{constructor(...e){super(...e),this.level=4}static{this.styles=E`
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
  `}static{this.properties={fix:Object,guide:Object,rule:String,level:Number,snippet:Object}}changed(e){`fix`in e&&(this.snippet=this.fix.snippets[0])}template(){let{fix:e,snippet:t}=this,{summary:n,actions:r,snippets:i}=e;return x`
      <h4 id="do" aria-level=${this.level}>
        Do this <tfperf-copy words="Copy this fix" .text=${Ii(e,t)}></tfperf-copy>
      </h4>
      <p ?hidden=${!n}>${n}</p>
      <ol aria-labelledby="do" ?hidden=${r.length===0}>
        ${r.map(e=>x`<li>${e}</li>`)}
      </ol>
      ${t?x` <div class="frameworks" ?hidden=${i.length<2}>
                ${i.map(e=>x`<button
                      class="bare framework"
                      aria-pressed=${e===t}
                      @click=${()=>this.snippet=e}
                    >
                      ${e.framework}
                    </button>`)}
              </div>
              <tfperf-code .framework=${t.framework} .code=${t.code}></tfperf-code>`:S}
      <ul class="links note">
        ${this.links().map(({title:e,href:t})=>x`<li>${t?x`<a href=${t} target="_blank" rel="noopener">${e}</a>`:e}</li>`)}
      </ul>
    `}links(){let{section:e,url:t}=this.guide,n=[...e?[{title:`Guide: ${e}`,url:t}]:[],...this.fix.links];return[{title:`How this is measured`,href:f(document.baseURI,this.rule)},...n.map(e=>({title:e.title.trim()||e.url,href:m(e.url)}))]}};function Ii({summary:e,actions:t},n){let r=t.map((e,t)=>`${t+1}. ${e}`),i=n?[``,`${n.framework}:`,n.code]:[];return[e,...r,...i].filter((e,t)=>e||t>0).join(`
`)}customElements.define(`tfperf-fix`,Fi);var Li=`severity`,Ri={passed:`would pass`,not_applicable:`would not apply`,missing_data:`could not be checked`,errors:`would fail`},zi=[[`s`,1e9],[`ms`,1e6],[`µs`,1e3],[`ns`,1]],Bi=[[`GB`,1e9],[`MB`,1e6],[`kB`,1e3],[`B`,1]];function Vi(e,t){let n=e=>String(Number(e.toPrecision(6)));if(t===`ratio`)return`${n(e*100)} %`;let r=(t===`ns`?zi:t===`bytes`?Bi:[]).find(([,t])=>e>=t);return r?`${n(e/r[1])} ${r[0]}`:t===`times`?`${n(e)} times`:n(e)}function Hi(e,t,n){return`${e}:${t}:${n}`}function Ui({tried:e}){return`With ${e.map(e=>`${Vi(e.value,e.unit)} instead of ${Vi(e.default,e.unit)} (${e.rule===`severity`?`${e.rule} `:``}${e.name})`).join(` and `)}:`}function Wi(e,t,n){let[r,i]=[Gi(e),Gi(t)],a=[...i].flatMap(([e,t])=>{let i=r.get(e);return i?Ki(i,t,n.includes(e)):[]});return a.length>0&&e.advice!==t.advice&&a.push(`The advice would be: ${t.advice}`),a}function Gi(e){let t=new Map,n=(e,r)=>{t.set(e.id,{title:e.title,place:r,finding:e,reason:``});for(let t of e.explains)n(t,`under “${e.title}”`)};for(let t of[...e.trust,...e.findings])n(t,``);for(let n of Object.keys(Ri))for(let{id:r,title:i,reason:a}of e[n])t.set(r,{title:i,place:n,finding:null,reason:a});return t}function Ki(e,t,n){let r=`“${t.title}”`;if(!t.finding){let i=`${Ri[t.place]}: ${t.reason}`;return e.finding?[`“${e.title}” would no longer be found; it ${i}`]:e.place!==t.place||n&&e.reason!==t.reason?[`${r} ${i}`]:[]}if(!e.finding){let{severity:e,where:n,summary:i}=t.finding,a=n.length>0?`, ${L(n.length,`place`)}`:``;return[`${r} would be found${t.place&&` ${t.place}`}: ${e}${qi(t.finding)}${a}. ${i}`]}let i=[];e.finding.severity!==t.finding.severity&&i.push(`be ${t.finding.severity} instead of ${e.finding.severity}`),e.place!==t.place&&i.push(t.place?`be listed ${t.place}`:`be a finding of its own`),e.finding.saving?.ns!==t.finding.saving?.ns&&i.push(`save ${qi(t.finding).slice(2)||`nothing by itself`}`),e.finding.confidence!==t.finding.confidence&&i.push(`have ${t.finding.confidence} confidence`);let a=e.finding.summary===t.finding.summary?[]:[`${r} would say: ${t.finding.summary}`];return[...i.length>0?[`${r} would ${i.join(`, `)}.`]:[],...a]}function qi({saving:e}){return e?`, ${Tn(e)} per step (${N(e.ratio)})`:``}var Ji=class extends D{constructor(...e){super(...e),this.limits=[],this.heading=``,this.changes=[],this.busy=!1,this.asked=0}static{this.styles=E`
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
  `}static{this.properties={limits:Array,heading:String,changes:Array,busy:Boolean}}connectedCallback(){super.connectedCallback(),this.load(this.rule)}template(){let{limits:e,heading:t,changes:n}=this;return x`
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
            ${e.map(({rule:e,threshold:t,words:n,value:r})=>x` <tr>
                  <td>${n}</td>
                  <td class="number">${r}</td>
                  <td class="note">${t.source}</td>
                  <td>
                    ${t.fixed?x`<span class="note" title="It is applied before rules judge, or by several parts."
                            >not here</span
                          >`:x`<input
                            data-trial=${Hi(e,t.id,``)}
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
          ${n.map(e=>x`<li class="name">${e}</li>`)}
        </ul>
      </div>
    `}async load(e){try{let{rules:t,severities:n}=await an(this,`thresholds`)??{rules:{},severities:[]},r=(e,t,n)=>({rule:e,threshold:t,words:n,value:Vi(t.value,t.unit)});this.limits=[...(t[e]??[]).map(t=>r(e,t,t.name)),...n.map(e=>r(Li,e,`severity ${e.name} from`))]}catch(e){this.heading=e.message}}async onTry(e){e.preventDefault();let t=[...this.shadowRoot.querySelectorAll(`input`)].filter(({value:e})=>e.trim()!==``);if(t.length===0){this.forget(),this.heading=`Type another value beside a threshold.`,this.shadowRoot.querySelector(`input`)?.focus();return}let n=this.forget();this.busy=!0,this.heading=`Judging with that…`;try{let e=t.map(({dataset:e,value:t})=>`${e.trial}${t.trim()}`),r=await an(this,`try-out`,{trials:e});if(n!==this.asked||!r)return;this.changes=Wi(r.base,r.other,[this.rule]),this.heading=`${Ui(r.other)}${this.changes.length>0?``:` nothing would change.`}`}catch(e){n===this.asked&&(this.heading=e.message)}finally{n===this.asked&&(this.busy=!1)}}forget(){return this.heading=``,this.changes=[],this.busy=!1,++this.asked}};customElements.define(`tfperf-thresholds`,Ji);var Yi=class extends D{constructor(...e){super(...e),this.of=``,this.open=!1}static{this.styles=E`
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
  `}static{this.properties={rule:String,of:String,open:Boolean}}changed(e){`rule`in e&&(this.open=!1)}template(){return x`
      <button class="bare" aria-expanded=${this.open} aria-label="Thresholds: ${this.of}" @click=${this.onToggle}>
        Thresholds
      </button>
      ${this.open?x`<tfperf-thresholds .rule=${this.rule}></tfperf-thresholds>`:S}
    `}onToggle(){this.open=!this.open}};customElements.define(`tfperf-limits`,Yi);var Xi=class extends D{constructor(...e){super(...e),this.places=[],this.access=null,this.shown=!1}static{this.styles=E`
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
  `}static{this.properties={run:String,places:Array,access:Object,shown:Boolean,place:Object}}changed(e){`places`in e&&(this.place=this.places[0]??this.place)}template(){let{places:e,access:t,place:n}=this,r=n?_(t,n.host):``;return x`
      ${n&&!r?this.ways(n,t!==null):S}
      <p class="note" ?hidden=${!r}>${r}</p>
      <p class="note" ?hidden=${r||!n?.device}>
        The trace viewer shows the first GPUs on top: scroll to ${n?.device?R(n.device):``}.
      </p>
      ${e.length===1?e.map(e=>x`<p class="note name only">${Zi(e)}${e.label?`: ${e.label}`:``}</p>`):x` <ul aria-label="Places, worst first">
              ${e.map(e=>x` <li>
                    <button class="bare place name" aria-pressed=${e===n} @click=${()=>this.choose(e)}>
                      <b title=${e.label}>${e.label}</b><span>${Zi(e)}</span>
                    </button>
                  </li>`)}
            </ul>`}
    `}ways(e,t){let n={run:this.run,host:e.host,beginMs:e.begin_ms,endMs:e.end_ms};return x`
      <div class="ways" ?data-unknown=${!t}>
        <button class="button accent" @click=${()=>this.announce(!this.shown)} aria-expanded=${this.shown}>
          ${this.shown?`Close the trace`:`Show in trace`}
        </button>
        <a class="button" href=${s(document.baseURI,n)} target="_parent" @click=${e=>{e.ctrlKey||e.metaKey||e.shiftKey||e.button!==0||O(this,`open-profile-tab`,{target:n,click:e})}}
          >Open in Profile tab</a
        >
        <a class="button" href=${l(document.baseURI,n)} target="_blank" rel="noopener">New window</a>
        <button class="button" @click=${()=>O(this,`show-in-timeline`,{place:e})} ?hidden=${e.step===null}>
          Show in timeline
        </button>
      </div>
    `}choose(e){this.place=e,this.shown&&this.announce(!0)}announce(e){O(this,`show-trace`,{place:e?this.place:null})}};function Zi({step:e,device:t,stream:n,host:r,begin_ms:i,end_ms:a}){return[e===null?``:`step ${e}`,t===null?``:R(t),n,r,vn(i,a)].filter(Boolean).join(` · `)}customElements.define(`tfperf-places`,Xi);var Qi=14,$i=20;function ea(e){let t=new Map;for(let n of e)t.set(n.step,[...t.get(n.step)??[],n]);return[...t].map(([e,t])=>{let n=t.map(e=>e.first_kernel_ns);return{step:e,rows:t,apart_ns:Math.max(...n)-Math.min(...n)}}).sort((e,t)=>t.apart_ns-e.apart_ns)}function ta(e){return[`${R(e.device)}: first kernel at ${M(e.first_kernel_ns)}`,`last kernel ends at ${M(e.last_kernel_ns)}`,e.first_launch_ns===null?``:`first launch at ${M(e.first_launch_ns)}`,e.idle_ns>0?`idle for ${M(e.idle_ns)} while another GPU runs`:``,e.wait_ns>0?`waits ${M(e.wait_ns)} in AllReduce for GPUs that started later`:``].filter(Boolean).join(`, `)}function na(e,t){let n=Math.min(0,...e.map(e=>e.first_launch_ns??0)),r=Math.max(...e.map(e=>e.last_kernel_ns),n+1),i=e=>`${(e/(r-n)*100).toFixed(4)}%`,a=new Vr,o=e.map((e,t)=>{let o=t*28+7,s=(e,t,r)=>a.fill(w(e),{x:i(t-n),y:o,width:i(Math.max(0,r-t)),height:Qi}),c=e.first_kernel_ns,l=e.last_kernel_ns,u=Math.max(0,Math.min(e.idle_ns,c)),d=Math.max(0,Math.min(e.idle_ns-u,r-l)),f=Math.max(0,Math.min(e.wait_ns,l-c)),p=V(`g`,{},V(`rect`,{x:0,y:t*28,width:`100%`,height:28,class:`slot`}),s(`idle.stagger`,c-u,c),s(`compute`,c,l-f),s(`communication.wait`,l-f,l),s(`idle.stagger`,l,l+d));if(e.first_launch_ns!==null){let t=i(e.first_launch_ns-n);p.append(V(`line`,{x1:t,x2:t,y1:o-3,y2:o+Qi+3,class:`launch`}))}return p}),s=e.length*28,c=T(r).map(e=>V(`text`,{x:i(e-n),y:s+14,class:`tick`},e===0?`0`:M(e)));return{drawing:V(`svg`,{width:`100%`,height:s+$i,role:`img`,"aria-label":t},a.defs,...o,...c),groups:o}}var ra=e=>e===null?`not recorded`:M(e),ia=[{head:`GPU`,cell:({device:e})=>R(e)},{head:`First launch`,cell:e=>ra(e.first_launch_ns),kind:`number`},{head:`First kernel`,cell:e=>ra(e.first_kernel_ns),kind:`number`},{head:`Last kernel ends`,cell:e=>ra(e.last_kernel_ns),kind:`number`},{head:`Idle`,cell:e=>ra(e.idle_ns),kind:`number`},{head:`Waits in AllReduce`,cell:e=>ra(e.wait_ns),kind:`number`},{head:`Launched by thread`,cell:({thread:e})=>e||`not recorded`,kind:`name`}],aa=class extends D{constructor(...e){super(...e),this.access=null,this.step=null}static{this.styles=E`
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
  `}static{this.properties={stagger:Object,access:Object,step:Number}}changed(e){`stagger`in e&&(this.steps=ea(this.stagger.items),this.step=null),this.shown=this.steps.find(({step:e})=>e===this.step)??this.steps[0]}template(){let{stagger:e,steps:t,shown:n}=this,r=e=>{let t=R(e.device);return this.linked()?x`<button class="bare" @click=${()=>this.open(e)} aria-label="Show ${t} in the trace">
            ${t}
          </button>`:x`<span>${t}</span>`},i=e.steps_total>t.length?`, the ${t.length} furthest apart of ${e.steps_total}`:``;return x`
      <label ?hidden=${t.length<2}
        >Step${i}
        <select id="step" @change=${this.onStep}>
          ${t.map(e=>x`<option .value=${e.step} .selected=${e===n}>${e.step}, ${M(e.apart_ns)} apart</option>`)}
        </select>
      </label>
      <div id="chart">
        <ul class="rows">
          ${n.rows.map(e=>x`<li>${r(e)}</li>`)}
        </ul>
        <div id="drawing" class=${this.linked()?`linked`:S}></div>
      </div>
      <ul id="legend" class="legend"></ul>
      <p class="note">${oa(e,n)}</p>
      <p class="note">${sa(e)}</p>
      <tfperf-table
        heading="The numbers of this step"
        .columns=${ia}
        .items=${n.rows}
        note="All times count from the first kernel of the step on any GPU; launches come before it."
      ></tfperf-table>
    `}onStep(e){this.step=Number(e.target.value)}linked(){return g(this.access,this.stagger.host)}open({host:e,device:t,step:n,begin_ms:r,end_ms:i}){if(!this.linked())return;let a={host:e,device:t,step:n,begin_ms:r,end_ms:i,label:`start of ${R(t)}`,stream:null};O(this,`show-trace`,{place:a})}drawn(e){if(!(`stagger`in e||`step`in e))return;let{rows:t}=this.shown;this.tip??=new k(this.child(`chart`)),this.tip.hide();let{drawing:n,groups:r}=na(t,oa(this.stagger,this.shown));this.tip.explain(n,r,t.map(ta)),t.forEach((e,t)=>r[t]?.addEventListener(`click`,()=>this.open(e))),this.child(`drawing`).replaceChildren(n),this.child(`legend`).replaceChildren(...ca(t))}};function oa({host:e},{step:t,rows:n,apart_ns:r}){let i=[...n].sort((e,t)=>e.first_kernel_ns-t.first_kernel_ns),[a,o]=[i[0],i.at(-1)];return a&&o?`Step ${t} on ${e}: ${R(o.device)} starts ${M(r)} after ${R(a.device)}.`:``}function sa({order:e,devices:t,one_thread:n,private_threads:r}){return[{fixed:`The order is the same in all steps: ${t.map(R).join(`, `)}.`,rotating:`The order changes from step to step.`,none:``}[e],{true:`One host thread makes the first launch for all of them.`,false:`Different host threads make their first launches.`,null:``}[`${n}`],r?`Each GPU has launch threads of its own.`:``].filter(Boolean).join(` `)}function ca(e){let t=document.createElement(`li`);return t.append(`| first launch on the host`),[...e.some(e=>e.first_launch_ns!==null)?[t]:[],...e.some(e=>e.idle_ns>0)?[H(w(`idle.stagger`),`idle, other GPUs run`)]:[],H(w(`compute`),`first to last kernel`),...e.some(e=>e.wait_ns>0)?[H(w(`communication.wait`),`of it waiting in collectives`)]:[]]}customElements.define(`tfperf-stagger`,aa);var la=class extends D{constructor(...e){super(...e),this.run=``,this.place=null}static{this.styles=E`
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
  `}static{this.properties={run:String,place:Object}}template(){return x`
      <span class="note name">${this.whereabouts()}</span>
      <div id="viewer"></div>
    `}drawn(){this.child(`viewer`).replaceChildren(...this.place?[this.frame(this.place)]:[])}whereabouts(){let{place:e}=this;return e?`Trace viewer: ${e.host}, ${vn(e.begin_ms,e.end_ms)}`:``}frame({host:e,begin_ms:t,end_ms:n}){let r=document.createElement(`iframe`);return r.title=this.whereabouts(),r.src=l(document.baseURI,{run:this.run,host:e,beginMs:t,endMs:n}),requestAnimationFrame(()=>r.scrollIntoView({block:`nearest`})),r}};customElements.define(`tfperf-trace`,la);var ua=class extends D{constructor(...e){super(...e),this.access=null,this.stagger=null,this.nested=!1,this.expanded=!1,this.mark=null,this.opened=null,this.traced=null}static{this.styles=E`
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
    @media (min-width: 1600px) {
      .columns:not(.plain) {
        grid-template-columns: minmax(0, 1fr) minmax(0, 600px);
      }
    }
    @media (max-width: 999px) {
      .columns {
        grid-template-columns: minmax(0, 1fr);
      }
      .body {
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
  `}static{this.properties={finding:Object,index:Number,run:String,access:Object,stagger:Object,nested:Boolean,expanded:Boolean,mark:String,opened:String,traced:Object}}changed(e){`finding`in e&&(this.traced=null),`finding`in e&&!this.nested&&(this.expanded=!0),this.nested&&(`finding`in e||`opened`in e)&&(this.expanded=this.finding.id===this.opened)}template(){let{finding:e,expanded:t}=this,{title:n,saving:r}=e;return x`
      <h3>
        <button
          id="head"
          class="bare head"
          aria-expanded=${t}
          @click=${this.onToggle}
          @pointerenter=${()=>this.hover(!0)}
          @pointerleave=${()=>this.hover(!1)}
          @focus=${()=>this.hover(!0)}
          @blur=${()=>this.hover(!1)}
        >
          <span class="index" ?hidden=${this.nested}>${this.index}</span>
          <tfperf-severity .severity=${e.severity}></tfperf-severity>
          <span class="title name">${n}</span>
          <span class="saving note"
            ><b>${r?Tn(r):``}</b
            >${r?` ${r.once_ns?``:`per step · ${N(r.ratio)} `}· `:``}${e.confidence}
            confidence</span
          >
          <span class="chevron" aria-hidden="true"></span>
        </button>
      </h3>
      ${t?this.body(e):S}
    `}body({id:e,title:t,summary:n,evidence:r,saving:i,fix:a,guide:o,where:s,explains:c}){let{run:l,access:u,stagger:d,traced:f}=this,p=e===`gpu-stagger`&&!!d?.items.length,m=i?.basis,h=(e,t)=>x`<button
        class="bare"
        aria-pressed=${this.mark===e}
        @click=${()=>this.say(this.mark===e?null:e)}
      >
        ${this.mark===e?`✓ ${t}`:t}
      </button>`;return x`
      <div class="body">
        <div class="columns ${p||s.length>0?``:`plain`}">
          <div class="main">
            <p class="name"><tfperf-text .text=${n}></tfperf-text></p>
            <tfperf-evidence .items=${r} ?hidden=${r.length===0}></tfperf-evidence>
            <p class="note" ?hidden=${!m}>How the saving was estimated: ${m}</p>
            <tfperf-fix .fix=${a} .guide=${o} .rule=${e}></tfperf-fix>
          </div>
          <div class="side" @show-trace=${this.onTrace}>
            ${p?x`<tfperf-stagger .stagger=${d} .access=${u}></tfperf-stagger>`:S}
            ${s.length>0?x`<tfperf-places
                    .run=${l}
                    .places=${s}
                    .access=${u}
                    .shown=${f!==null}
                  ></tfperf-places>`:S}
          </div>
        </div>
        ${f?x`<tfperf-trace .run=${l} .place=${f}></tfperf-trace>`:S}
        ${c.length>0?x` <div class="folded">
                <h4>This also explains</h4>
                ${c.map(e=>x`<tfperf-finding
                      nested
                      .finding=${e}
                      .run=${l}
                      .access=${u}
                      .stagger=${d}
                      .opened=${this.opened}
                    ></tfperf-finding>`)}
              </div>`:S}
        <div class="actions">
          ${this.nested?S:[h(`done`,`Done`),h(`irrelevant`,`Not relevant here`)]}
          <tfperf-copy words="Copy link" .link=${e}></tfperf-copy>
        </div>
        <tfperf-limits .rule=${e} .of=${t}></tfperf-limits>
      </div>
    `}onTrace(e){e.stopPropagation(),this.traced=e.detail.place}onToggle(){this.expanded=!this.expanded,this.expanded||(this.traced=null)}hover(e){this.nested||O(this,`finding-hover`,{id:e?this.finding.id:null})}say(e){O(this,`mark`,{id:this.finding.id,mark:e})}};customElements.define(`tfperf-finding`,ua);var da=.01,fa=.5;function pa({begin:e,end:t}){return`${Math.round(e)}-${Math.round(t)}`}function ma(e){let[,t,n]=/^(\d{1,15})-(\d{1,15})$/.exec(e??``)??[];return Number(n)>Number(t)?{begin:Number(t),end:Number(n)}:null}function ha(e,t){if(!t)return[];let n=e.claims.filter(e=>e.finding===t.id);return n.length>0?n.map(({row:e,begin_ns:t,end_ns:n})=>({row:e,begin:t,end:n})):ci(e,t.where).filter(({row:t})=>e.rows[t]?.kernels===!1)}function ga({claims:e,rows:t},{row:n,begin:r,end:i}){let a=t[n]?.kernels?n-1:n,o=new Map;for(let t of e){let e=Math.min(t.end_ns,i)-Math.max(t.begin_ns,r);t.row===a&&e>0&&o.set(t.finding,(o.get(t.finding)??0)+e)}let[s]=[...o].sort((e,t)=>t[1]-e[1]);return s&&s[1]>=(i-r)/2?s[0]:null}function _a(e,t,n=``){let r=t.findIndex(t=>t.id===e);if(r>=0)return`claimed by ${r+1} ${t[r]?.title??``}`;let i=t.findIndex(({saving:e})=>(e?.accounts[n]??0)>0);if(i<0)return`no finding claims it`;let a=t[i]?.saving?.accounts[n]??0;return`no finding points here; ${i+1} claims ${M(a)} of ${Xr(n).words} in an average step`}function va({ledger:e,hosts:t,stragglers:n},r){let i=e?.devices_total??0,a=new Set([n[0]?.host??t[0],r?.host??n[0]?.host??t[0]]);return(i>8?5:i)+3*a.size}function ya(e,t,n){let[r]=t;if(e.behind_ns===null||e.kernels||!r||r.behind_ns<da*n)return null;let i=t.find(({host:t,device:n})=>t===e.host&&n===e.name),a=i?`comes last in ${N(i.last_ratio)} of collective calls or steps`:``,o=`Median delay behind the first GPU${a&&`; ${a}`}.${i?.cause?` ${i.cause}`:``}`;if(e.behind_ns<da*n)return e.behind_ns===0?{words:`first`,late:!1,meaning:o}:null;let s=`+${M(e.behind_ns)}`,c=i===r&&r.last_ratio>=fa;return{words:c?`straggler ${s}`:s,late:c,meaning:o}}function ba({others:e}){if(!e)return``;let{count:t,low_ns:n,high_ns:r}=e,i=n===r?M(n):`${M(n)} to ${M(r)}`;return`${t} more ${t===1?`GPU`:`GPUs`}, ${i} behind`}function xa(e){let t=e.flatMap(({is_gpu:e,sums_ns:t})=>e?[]:Object.entries(t)),n=new Map;for(let[e,r]of t)n.set(e,Math.max(r,n.get(e)??0));return n.size>1&&n.delete(`host.step`),[...n].filter(([,e])=>e>0).sort((e,t)=>t[1]-e[1]).map(([e,t])=>`${Xr(e).words} ${M(t)}`).join(` · `)}function Sa({stragglers:e},t){let[n]=e;return!n||n.last_ratio<fa||n.host===t.host&&n.device===t.name?``:`${`${new Set(e.map(({host:e})=>e)).size>1?`${n.host} `:``}${R(n.device)}`} comes last in ${N(n.last_ratio)} of the calls, ${M(n.behind_ns)} behind. ${n.cause}`.trim()}function Ca({run:e,steps:t},n){let{title:r,action:i,cause:a,summary:o,command:s,evidence:c,where:l,fix:u,saving:d,after:f}=n,p=c.map(({label:e,value:t,unit:n,threshold:r})=>`- ${e}: ${I(t,n)}${r===null?``:` (threshold ${I(r,n)})`}`),m=l.map(({host:e,device:t,step:n,begin_ms:r,end_ms:i,label:a})=>`- ${[n===null?``:`step ${n}`,e,t??``,`${r.toFixed(3)}–${i.toFixed(3)} ms`].filter(Boolean).join(`, `)}${a?`: ${a}`:``}`),h=d?`Saves ${Tn(d)} of a step of ${M(t.p50_ns)}.`:``,g=f?`Profile again: the step should take ${M(f.low_ns)} to ${M(f.high_ns)}.`:`Profile again and compare both runs.`,_=(e,t)=>t.length>0?[``,`## ${e}`,...t]:[];return[`# ${i||r}`,``,`Run: ${e}`,[a||o,h].filter(Boolean).join(` `),..._(`Measurements`,p),..._(`Places`,m),..._(`What to do`,u.actions.length>0?u.actions.map(e=>`- ${e}`):[u.summary].filter(Boolean)),..._(`Command`,s?["```",s,"```"]:[]),..._(`Verify`,[g])].join(`
`)}var wa=class extends D{constructor(...e){super(...e),this.access=null,this.mark=null}static{this.styles=E`
    :host {
      display: block;
      min-width: 0;
      padding: 14px 18px;
    }
    header {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    h2 {
      flex: 1;
      min-width: 150px;
      overflow-wrap: anywhere;
    }
    h3 {
      color: var(--ink-2);
      font-size: 13px;
      font-weight: 600;
      margin: 16px 0 4px;
    }
    .rank {
      color: var(--ink-2);
      font-weight: 600;
    }
    .measured {
      list-style: none;
      padding: 0;
    }
    .measured li {
      border-bottom: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 0 12px;
      justify-content: space-between;
      overflow-wrap: anywhere;
      padding: 4px 0;
    }
    .measured span:first-child::first-letter {
      text-transform: uppercase;
    }
    .measured b {
      font-weight: 600;
      text-align: right;
    }
    .measured small {
      color: var(--ink-2);
      flex: 1 0 100%;
      font-size: 12.5px;
    }
    .why,
    tfperf-fix {
      margin-top: 10px;
    }
    summary {
      color: var(--accent);
      cursor: pointer;
      font-size: 13px;
      margin-top: 6px;
    }
    tfperf-finding + tfperf-finding {
      margin-top: 6px;
    }
    .actions {
      border-top: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 4px 18px;
      margin-top: 16px;
      padding-top: 10px;
    }
    .actions button {
      color: var(--accent);
      font-size: 13px;
    }
  `}static{this.properties={report:Object,finding:Object,access:Object,mark:String}}template(){let{report:e,finding:t,mark:n}=this,{id:r,title:i,severity:a,action:o,cause:s,summary:c,evidence:l,saving:u,fix:d,guide:f,explains:p}=t,{findings:m}=e,h=m.indexOf(t),g=l.slice(4),_=(e,t,n)=>{let r=m[h+e];return x`<button
        class="button"
        aria-label=${t}
        ?disabled=${!r}
        @click=${()=>r&&O(this,`finding-lock`,{id:r.id})}
      >
        ${n}
      </button>`},ee=(e,t)=>x`<button class="bare" @click=${()=>O(this,`mark`,{id:r,mark:e})}>${t}</button>`;return x`
      <header>
        <span class="rank">${h+1}</span>
        <h2 id="title" class="name" tabindex="-1">${i}</h2>
        <span class="note">${h+1} of ${m.length}</span>
        ${_(-1,`Previous finding`,`↑`)} ${_(1,`Next finding`,`↓`)}
      </header>
      <tfperf-severity .severity=${a}></tfperf-severity>
      ${o?x`<p class="why name"><b>${o}</b></p>`:S}
      <p class="why name"><tfperf-text .text=${s||c}></tfperf-text></p>
      <tfperf-fix .fix=${d} .guide=${f} .rule=${r} .level=${3}></tfperf-fix>
      ${l.length>0?x`<h3>How we know</h3>
              ${Ta(l.slice(0,4))}`:S}
      ${g.length>0||u||s&&c?x` <details>
              <summary>${g.length>0?L(g.length,`more measurement`):`More`}</summary>
              ${s?x`<p class="name"><tfperf-text .text=${c}></tfperf-text></p>`:S}
              ${g.length>0?Ta(g):S}
              <p class="note" ?hidden=${!u}>How the saving was estimated: ${u?.basis}</p>
            </details>`:S}
      ${p.length>0?x`<h3>Also explains</h3>
              ${p.map(t=>x`<tfperf-finding
                    nested
                    .finding=${t}
                    .run=${e.run}
                    .access=${this.access}
                    .stagger=${e.stagger}
                  ></tfperf-finding>`)}`:S}
      <div class="actions">
        <tfperf-copy words="Copy for agent" .text=${Ca(e,t)}></tfperf-copy>
        <tfperf-copy words="Link" .link=${r}></tfperf-copy>
        ${n?ee(null,`Undo “${ht[n]}”`):[ee(`done`,`Done`),ee(`irrelevant`,`Not relevant`)]}
      </div>
      <tfperf-limits .rule=${r} .of=${i}></tfperf-limits>
    `}};function Ta(e){return x`<ul class="measured">
    ${e.map(e=>{let t=[wn(e),e.source].filter(Boolean).join(` · `);return x`<li>
        <span><tfperf-text .text=${e.label}></tfperf-text></span><b>${I(e.value,e.unit)}</b>
        <small ?hidden=${!t}>${t}</small>
      </li>`})}
  </ul>`}customElements.define(`tfperf-chosen-finding`,wa);var Ea=32,Da=4,Oa=class extends D{constructor(...e){super(...e),this.chosen=null,this.marked=[]}static{this.styles=E`
    :host {
      display: block;
      overflow-x: auto;
      padding: 3px;
    }
    div {
      align-items: end;
      display: flex;
      gap: 3px;
    }
    button {
      align-items: center;
      border-radius: 4px;
      color: var(--ink-2);
      display: flex;
      flex: 0 0 22px;
      flex-direction: column;
      font-size: 11px;
      height: ${50}px;
      justify-content: end;
      padding: 0 2px;
    }
    button[aria-selected='true'] {
      background: var(--info-ground);
      color: var(--ink);
      outline: 1px solid var(--accent);
    }
    button:focus-visible {
      outline: 2px solid var(--accent);
    }
    i {
      display: block;
      width: 100%;
    }
    .out {
      opacity: 0.45;
    }
    .placed {
      text-decoration: underline;
      text-decoration-color: var(--accent);
      text-decoration-thickness: 2px;
    }
  `}static{this.properties={steps:Object,chosen:String,marked:Array}}template(){let{columns:e}=this.steps,t=Math.max(...e.map(({step_ns:e})=>e),1),n=Math.max(e.findIndex(({id:e})=>e===this.chosen),0);return x`<div role="listbox" aria-label="Steps" aria-orientation="horizontal" @keydown=${this.onKey}>
      ${e.map((e,r)=>{let i=this.marked.includes(e.id),a=Aa(e,i);return x`<button
          class="bare"
          role="option"
          id="step-${r}"
          aria-selected=${r===n&&this.chosen!==null}
          aria-label=${a}
          title=${a}
          tabindex=${r===n?0:-1}
          @click=${()=>O(this,`step-change`,{id:e.id})}
        >
          <i
            class=${e.judged?``:`out`}
            style="height:${Math.max(e.step_ns/t*Ea,1).toFixed(1)}px;background:${ka(e)}"
          ></i>
          <span class=${i?`placed`:``}>${e.outlier?`◆`:``}${e.number}</span>
        </button>`})}
    </div>`}onKey(e){let t=[...this.shadowRoot.querySelectorAll(`[role=option]`)],n=t.indexOf(this.shadowRoot.activeElement),r={ArrowLeft:n-1,ArrowRight:n+1,Home:0,End:t.length-1}[e.key];r!==void 0&&(e.preventDefault(),t[r]?.focus({preventScroll:!0}))}};function ka({accounts:e,step_ns:t}){let n=0,r=At(Object.entries(e).map(([e,t])=>({id:e,ns:t}))).map(({id:e,ns:r})=>{let i=n;return n+=100*r/t,`var(${w(e).colour}) ${i.toFixed(2)}% ${n.toFixed(2)}%`});return r.length>0?`linear-gradient(to top, ${r.join(`, `)})`:`var(--account-unknown)`}function Aa({number:e,step_ns:t,accounts:n,outlier:r,judged:i,note:a},o){let s=Object.entries(n).sort(([,e],[,t])=>t-e).slice(0,Da).map(([e,n])=>`${w(e).words} ${M(n)} (${N(n/t)})`);return[`Step ${e}: ${M(t)}`,r?`outlier: much longer than the others`:``,a||(i?``:`left out of the averages`),s.join(`, `),o?`a place of this finding lies here`:``].filter(Boolean).join(` · `)}customElements.define(`tfperf-step-strip`,Oa);var ja=300,Ma=`300px`,Na=6,Pa=[{head:`Row`,cell:({row:e})=>e,kind:`name`},{head:`What`,cell:({what:e})=>e},{head:`From`,cell:({begin:e})=>M(e),kind:`number`,value:({begin:e})=>-e},{head:`Length`,cell:({length:e})=>M(e),kind:`number`,value:({length:e})=>e}],Fa=class extends D{static{this.styles=E`
    :host {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: grid;
      grid-template-columns: minmax(0, 1fr);
    }
    :host([beside]) {
      grid-template-columns: minmax(0, 380px) minmax(0, 1fr);
    }
    tfperf-chosen-finding {
      border-bottom: 1px solid var(--line);
    }
    :host([beside]) tfperf-chosen-finding {
      border-bottom: 0;
      border-right: 1px solid var(--line);
    }
    section {
      min-width: 0;
      padding: 14px 18px;
    }
    header,
    .line,
    .places {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 6px 8px;
    }
    header .note {
      flex: 1;
      min-width: 140px;
    }
    header label {
      font-size: 13px;
    }
    select {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 6px;
      color: var(--ink);
      max-width: 220px;
      padding: 4px 8px;
    }
    [aria-pressed='true'] {
      background: var(--info-ground);
      border-color: var(--accent);
      color: var(--accent);
    }
    .wait {
      opacity: 0.5;
    }
    .places {
      margin-top: 8px;
      min-height: 34px;
    }
    /* Its room is there before anything is selected, so that nothing moves under the hand. */
    .selected {
      border-top: 1px solid var(--line);
      margin-top: 8px;
      min-height: 104px;
      padding-top: 8px;
    }
    .selected dl {
      display: grid;
      gap: 4px 12px;
      grid-template-columns: 72px minmax(0, 1fr);
      overflow-wrap: anywhere;
    }
    dt {
      color: var(--ink-2);
    }
    .line {
      margin-top: 6px;
    }
    #seen {
      min-height: 21px;
    }
    #legend {
      min-height: 72px;
    }
    dd button {
      color: var(--accent);
      text-decoration: underline;
    }
    tfperf-table {
      margin-top: 6px;
    }
    @media (max-width: 1179px) {
      :host([beside]) {
        grid-template-columns: minmax(0, 1fr);
      }
      :host([beside]) tfperf-chosen-finding {
        border-bottom: 1px solid var(--line);
        border-right: 0;
      }
    }
  `}static{this.properties={report:Object,access:Object,ask:Object,locked:String,hovered:String,step:String,zoom:String,marks:Object,target:Object,keys:Boolean,near:Boolean,whole:Object,chosen:Object,did:String,late:String,seen:String,problem:String,kernels:Boolean,arrows:Boolean,lines:Array,tableNote:String}}constructor(){super(),this.access=null,this.ask=null,this.locked=null,this.hovered=null,this.step=null,this.zoom=null,this.marks={},this.target=null,this.keys=!0,this.near=!1,this.whole=null,this.chosen=null,this.did=``,this.late=``,this.seen=``,this.problem=``,this.kernels=!1,this.arrows=!0,this.lines=[],this.tableNote=``,this.shown=null,this.host=null,this.awaited=null,this.place=null,this.keep=null,this.loading=new AbortController,this.refining=new AbortController,this.telling=new AbortController,this.watcher=null,this.onKeys=e=>this.onKey(e),this.asked=``,this.addEventListener(`span-choose`,e=>{e.stopPropagation();let{mark:t}=e.detail;this.choose(t)}),this.addEventListener(`view-rest`,()=>this.settle())}get finding(){let{findings:e}=this.report,{locked:t}=this;return e.find(({id:e,explains:n})=>e===t||n.some(e=>e.id===t))??e[0]}changed(e){let{report:t}=this;this.toggleAttribute(`beside`,t.findings.length>0),(`report`in e||`step`in e||`locked`in e)&&(this.shown=Ei(this.step,this.finding?.where??[],t)),(`locked`in e||`report`in e)&&(this.place=this.finding?.where[0]??null),`target`in e&&this.target&&(this.awaited=this.target,this.place=this.target)}template(){let{report:e,whole:t,problem:n,shown:r,finding:i,hovered:a,chosen:o}=this,{steps:s,hosts:c,findings:l,omitted:u}=e,d=s.columns.find(({id:e})=>e===r),f=l.find(({id:e})=>e===a)??i,p=u.find(({what:e})=>e===`timeline`)?.sentence??``,m=[d?M(d.step_ns):``,d?.outlier?`outlier: much longer than the others`:``,d?.note??``,c.length>1?`hosts aligned at the begin of the step`:``],h=(e,t)=>x`<button class="button" aria-pressed=${this[e]} @click=${()=>this[e]=!this[e]}>
        ${t}
      </button>`,g=t?.rows.map(n=>n.is_gpu?ya(n,e.stragglers,t.length_ns):null)??[];return x`
      ${i?x`<tfperf-chosen-finding
              .report=${e}
              .finding=${i}
              .access=${this.access}
              .mark=${this.marks[i.id]??null}
            ></tfperf-chosen-finding>`:S}
      <section aria-labelledby="head">
        <header>
          <h2 id="head">Timeline, step ${d?.number??r??``}</h2>
          <span class="note">${m.filter(Boolean).join(` · `)}</span>
          <label ?hidden=${c.length<2}
            >Host
            <select id="host" @change=${this.onHost}>
              <option value="">all ${c.length}</option>
              ${c.map(e=>x`<option value=${e}>${e}</option>`)}
            </select>
          </label>
          ${h(`kernels`,`Kernels`)} ${h(`arrows`,`Launch arrows`)}
          <button class="button" aria-label="Zoom out" @click=${()=>this.plot.zoomOut()}>−</button>
          <button class="button" aria-label="Zoom in" @click=${()=>this.plot.zoomIn()}>+</button>
          <button class="button" @click=${()=>this.plot.showAll()}>Whole step</button>
        </header>
        <tfperf-step-strip
          .steps=${s}
          .chosen=${r}
          .marked=${(i?.where??[]).map(t=>Ti(t,e))}
        ></tfperf-step-strip>
        <p class="note name" ?hidden=${!p}>${p}</p>
        <p class="note" role="alert" ?hidden=${!n}>${n}</p>
        <tfperf-timeline-plot
          id="plot"
          .marks=${t?ha(t,f):[]}
          .chosen=${o}
          .tags=${g}
          .arrows=${this.arrows}
          .expected=${va(e,this.place)}
          ?hidden=${n}
        ></tfperf-timeline-plot>
        <p class="note" ?hidden=${!t?.others}>${t?ba(t):``}</p>
        ${this.placeButtons(i)}
        <div class="selected" role="status">${o&&t?this.selected(t,o):this.hint()}</div>
        <p id="seen" class="note" role="status">${this.seen}</p>
        <tfperf-table
          ?hidden=${!t}
          heading="What is in view, as a table"
          .columns=${Pa}
          .items=${this.lines}
          .note=${this.tableNote}
        ></tfperf-table>
        <ul id="legend" class="legend" aria-label="What the rows show"></ul>
      </section>
    `}hint(){return x`<p class="note">
      ${this.kernels&&this.whole!==null&&!this.whole.rows.some(({kernels:e})=>e)?`Single kernels of this run are not kept: it is too large. `:``}Click a span, or choose it with the
      arrow keys and Enter: this says whose time it is, and what the host did meanwhile.
    </p>`}placeButtons(e){let{place:t}=this;if(!e||e.where.length===0)return S;let n=this.report.hosts.length>1;return x`<div class="places" role="group" aria-label="Places of this finding, worst first">
      <span class="note">Places of finding ${this.report.findings.indexOf(e)+1}</span>
      ${e.where.slice(0,Na).map(e=>{let r=[e.step===null?``:`Step ${e.step}`,n?e.host:``,e.device===null?``:R(e.device)];return x`<button
          class="button name"
          title=${e.label}
          aria-pressed=${t!==null&&Ia(e,t)}
          @click=${()=>O(this,`show-in-timeline`,{place:e})}
        >
          ${r.filter(Boolean).join(` · `)||e.label}
        </button>`})}
      <span class="note"><kbd>n</kbd> next</span>
    </div>`}selected(e,t){let{report:n}=this,r=e.rows[t.row];if(!r)return S;let i=r.is_gpu?ga(e,t):null,a=r.kernels?`compute`:e.codes[this.code(t)]??``,o=r.is_gpu?_a(i,n.findings,a):``,s=`${Qr(r,e.hosts.length>1)} · ${M(t.begin)} to ${M(t.end)}`,c=this.plot.wordsOf(t),l=li(e,{...t,end:Math.min(t.end,r.length_ns)},c);return x`
      <dl>
        <dt>Selected</dt>
        <dd>
          <b>${s}</b> · ${c},
          ${M(t.end-t.begin)}${i?x`, <button class="bare" @click=${()=>O(this,`finding-lock`,{id:i})}>${o}</button>`:o&&`, ${o}`}
        </dd>
        ${this.late?x`<dt>Culprit</dt>
                <dd>${this.late}</dd>`:S}
        ${this.did?x`<dt>Host</dt>
                <dd>${this.did}</dd>`:S}
      </dl>
      <div class="line">
        ${this.traceLink(l)}
        <button class="button" @click=${()=>this.back()}>Back to finding <kbd>Esc</kbd></button>
      </div>
    `}code({row:e}){return this.plot.spans?.rows[e]?.code[this.plot.at.span]??-1}traceLink(e){let{access:t,report:n}=this,r=_(t,e.host);if(t===null)return S;if(r)return x`<span class="note">${r}</span>`;let i={run:n.run,host:e.host,beginMs:e.begin_ms,endMs:e.end_ms},a=e.device===null?``:R(e.device);return x`<a class="button" href=${l(document.baseURI,i)} target="_blank" rel="noopener"
        >Open in trace viewer</a
      ><span class="note" ?hidden=${!a}>It shows the first GPUs on top: scroll to ${a}.</span>`}drawn(e){`target`in e&&this.target&&this.onTarget(),(`ask`in e||`report`in e)&&(this.asked=``),[`report`,`step`,`locked`,`ask`,`near`,`kernels`].some(t=>t in e)?this.load():`zoom`in e&&this.applyZoom()}connectedCallback(){super.connectedCallback(),document.addEventListener(`keydown`,this.onKeys),this.watcher=new IntersectionObserver(e=>this.near||=e.some(({isIntersecting:e})=>e),{rootMargin:Ma}),this.watcher.observe(this)}disconnectedCallback(){super.disconnectedCallback(),document.removeEventListener(`keydown`,this.onKeys),this.watcher?.disconnect();for(let e of[this.loading,this.refining,this.telling])e.abort()}request(e,t,n){let{shown:r,host:i,kernels:a,keep:o}=this;return{step:r??``,host:i,begin_ns:e,end_ns:t,width:n,keep:o,kernels:a}}async load(){let{report:e,shown:t,ask:n,near:r,kernels:i,place:a}=this;if(t===null||!n||!r)return;this.keep=a?.device?{host:a.host,device:a.device}:null;let o=this.request(0,null,this.plot.width),s=JSON.stringify([e.run,{...o,width:0}]);if(this.asked===s&&this.whole){this.applyZoom();return}this.loading.abort(),this.loading=new AbortController,this.refining.abort();let{signal:c}=this.loading;this.asked=s,this.plot.classList.add(`wait`);try{let e=await n(o,c);if(c.aborted)return;let t=this.whole?.step===e.step&&this.whole.rows.some(e=>e.kernels)!==i?this.plot.view:null;this.problem=``,this.whole=e,this.plot.show(e),this.choose(null),this.awaited?this.goTo(this.awaited):t?this.plot.move(t):this.applyZoom(),this.tell(),this.child(`legend`).replaceChildren(...ui(e).map(e=>H(Xr(e),Zr(e))))}catch(e){if(c.aborted)return;this.asked=``,this.problem=e instanceof Error?e.message:String(e)}this.plot.classList.remove(`wait`)}get plot(){return this.child(`plot`)}onTarget(){this.near=!0,this.whole?.step===this.shown&&this.goTo(this.target)}goTo(e){let[t]=this.whole&&e?ci(this.whole,[e]):[];t&&this.whole&&(this.awaited=null,this.plot.move(ni(t,this.whole.length_ns)))}applyZoom(){if(!this.whole||pa(this.plot.view)===this.zoom)return;let e=ma(this.zoom);e&&e.end<=this.whole.length_ns?this.plot.move(e):this.awaited||this.plot.showAll()}settle(){let{whole:e}=this;if(!e)return;this.tell();let{view:t}=this.plot,n=t.begin<=0&&t.end>=e.length_ns;O(this,`zoom-change`,{zoom:n?null:pa(t)}),this.refine()}tell(){let{whole:e}=this,{view:t,spans:n}=this.plot;if(!e||!n)return;let r=t.end-t.begin>=e.length_ns?`The whole step, ${M(e.length_ns)}`:`${M(t.begin)} to ${M(t.end)} of ${M(e.length_ns)}`,i=n.merged_below_ns>0?` Neighbors shorter than ${M(n.merged_below_ns)} are drawn as one; zoom in to part them.`:``;this.seen=`${r}.${i}`,this.list()}async refine(){let{whole:e,ask:t}=this,{view:n,spans:r,width:i}=this.plot,a=n.end-n.begin;if(!e||!t||!r||r.merged_below_ns<=a/i)return;let o=Math.floor(Math.max(n.begin-a,0)),s=Math.ceil(Math.min(n.end+a,e.length_ns));if(r.begin_ns===o&&r.end_ns===s)return;this.refining.abort(),this.refining=new AbortController;let{signal:c}=this.refining;try{let n=await t(this.request(o,s,3*i),c);if(c.aborted||this.whole!==e)return;this.plot.fine=n,this.list()}catch{}}list(){let{spans:e,view:t}=this.plot;if(!e)return;let{lines:n,total:r}=si(e,t,ja);this.lines=n,this.tableNote=r>n.length?`The longest ${n.length} of ${L(r,`span`)} in view.`:``}choose(e){let{whole:t,ask:n}=this;this.chosen=e,this.did=this.late=``,this.telling.abort();let r=e?t?.rows[e.row]:void 0;if(O(this,`owner`,{id:e&&t&&r?.is_gpu?ga(t,e):null}),!e||!r?.is_gpu||!t||!n)return;t.codes[this.code(e)]===`communication.wait`&&!r.kernels&&(this.late=Sa(this.report,r)),this.telling=new AbortController;let{signal:i}=this.telling;n({...this.request(Math.floor(e.begin),Math.ceil(e.end),1),host:r.host,kernels:!1},i).then(({rows:e})=>{i.aborted||(this.did=xa(e))},()=>void 0)}onHost(e){this.host=e.target.value||null,this.load()}back(){this.chosen?this.choose(null):O(this,`timeline-back`)}onKey(e){let{key:t}=e,n=e.composedPath()[0];if(e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey||n?.matches(`input, select, textarea, [contenteditable]`))return;let r=e.composedPath().includes(this)||n===document.body;if(t===`Escape`&&r&&this.back(),!this.keys||!this.near)return;let{columns:i}=this.report.steps,a=i.findIndex(({id:e})=>e===this.shown),o={"[":i[a-1],"]":i[a+1]}[t];if(o)O(this,`step-change`,{id:o.id});else if(t===`n`)this.nextPlace();else if(t===`+`)this.plot.zoomIn();else if(t===`-`)this.plot.zoomOut();else if(t===`0`)this.plot.showAll();else return;e.preventDefault()}nextPlace(){let{place:e}=this,t=(this.finding?.where??[]).slice(0,Na),n=t[(t.findIndex(t=>e!==null&&Ia(t,e))+1)%Math.max(t.length,1)];n&&O(this,`show-in-timeline`,{place:n})}};function Ia(e,t){return e.host===t.host&&e.device===t.device&&e.begin_ms===t.begin_ms&&e.end_ms===t.end_ms}customElements.define(`tfperf-finding-timeline`,Fa);var La=.05,Ra=.02;function za(e){let{steps:t,advice:n,capture_quality:r}=e,i=t.unit&&e.findings[0]||null,a=i!==null&&i.severity!==`info`;return{unit:t.unit&&t.unit!==`step`?`Time of a ${t.unit}`:`Step time`,...Ha(e),after:a?Ga(e,i):null,asks:a?i.saving&&!i.saving.once_ns?`Change first`:`Look first`:`Verdict`,action:a?i.action||i.title:n,cause:a?i.cause||i.summary:Ka(e),acts:a,first:i,saving:i?Ba(i):``,level:r?.level??``}}function Ba({saving:e}){return e?e.once_ns?Tn(e):`${Tn(e)} per step (${N(e.ratio)})`:``}function Va({capture_quality:e}){return e?.level===`thin`||e?.level===`none`}function Ha(e){let{steps:t,ledger:n,headline:r,devices:i}=e,a=t.unit.split(` `)[0]||`step`;if(!t.unit)return{now:[],note:r};if(t.groups.length>0)return{now:t.groups.map(e=>({time:M(e.p50_ns),of:Ua(e,a)})),note:``};if(t.count===0){let e=i.filter(e=>e.participates).map(e=>e.busy_ratio),t=e.reduce((e,t)=>e+t,0)/e.length;return{now:[],note:`No step was told apart in the recording${e.length>0?`; the GPUs are active for ${N(t)} of it`:``}`}}if(!n)return{now:[{time:M(t.p50_ns),of:``}],note:`median of ${L(t.count,a)}, as the host marks them`};let o=t.items.filter(e=>e.judged),s=o.length>0&&o.every(({note:e})=>e.startsWith(`partial`)),c=Math.abs(n.step_ns-t.p50_ns)>Ra*t.p50_ns,l=o.length===1?`part of one step`:`parts of ${o.length} steps`,u=t.items_total<=t.items_cap?o.map(e=>(e.end_ms-e.begin_ms)*1e6):[],d=Math.min(...u),f=Math.max(...u),p=u.length>0&&M(d)!==M(f)?`, ${Wa(d,f)}`:``,m=c?`; mean, the median is ${M(t.p50_ns)}`:``;return{now:[{time:M(n.step_ns),of:``}],note:s?`recorded ${l}`:`${L(t.count,a)}${p}${m}`}}function Ua({name:e,count:t},n){return e.endsWith(` steps`)?`in ${t} ${e.slice(0,-5)}${n}${t===1?``:`s`}`:`on ${e}`}function Wa(e,t){let[n,r]=[M(e),M(t)],i=r.slice(r.search(/\s/));return n===r?r:`${n.endsWith(i)?n.slice(0,-i.length):n}–${r}`}function Ga(e,{saving:t,after:n}){let{ledger:r,steps:i}=e;if(!t||t.once_ns||!r)return null;let[a,o]=[r.step_ns,Va(e)],s=n?n.ns:a-t.ns,c=`${`−${N((a-s)/Math.max(1,a))}${s>0?`, ${(a/s).toFixed(2)}×`:``}`}${i.groups.length>0?` on average`:``}${o?` at best`:``}`,l=Math.min(...i.groups.map(e=>e.p50_ns));if(Number.isFinite(l)&&Math.abs(s-l)>La*l)return{time:`${o?`≤ `:``}${M(a-s)} less`,change:c,likely:``};let u=o||n===null&&t.bound,[d,f]=n?[Math.max(0,n.low_ns),n.high_ns]:[0,0];return{time:`${u?`≥ `:``}${M(s)}`,change:c,likely:o||!n?``:`likely ${d>0?Wa(d,f):`at most ${M(f)}`}`}}function Ka({passed:e,missing_data:t,not_applicable:n}){return`${[`${L(e.length,`check`)} passed`,...t.length>0?[`${t.length} lacked data`]:[],...n.length>0?[`${n.length} do not apply`]:[]].join(`, `)}.`}function qa({ledger:e,steps:t,key_numbers:n}){if(!e||!t.unit)return null;let r=e.accounts.find(({id:e})=>e===`compute`)?.ratio??0,i=t.groups.length>0?`time`:t.unit.split(` `)[0]??`step`;return{share:`Computes ${N(r)} of the ${i}`,mfu:n.mfu_ratio===null?``:`${N(n.mfu_ratio)} ${n.mfu_basis.replace(/ \([^)]*\)/,``)}`}}function Ja(e){let{first:t,action:n,cause:r,unit:i,now:a,note:o,after:s,saving:c,level:l}=za(e);if(!t)return``;let u=a.map(({time:e,of:t})=>`${e} ${t}`.trim()).join(`, `),d=t.evidence.flatMap(({label:e,value:t,unit:n,threshold:r})=>typeof t==`number`&&r!==null?[`${G(e)} ${t>=r?`≤`:`≥`} ${I(r,n)}`]:[]);return`${[`# ${G(n)}`,``,G(r),``,`- Run: ${G(e.run)}`,`- ${G(i)}: ${[u,G(o)].filter(Boolean).join(`, `)}`,...s?[`- After the fix: ${[s.time,s.likely,s.change].filter(Boolean).join(`, `)}`]:[],`- Severity: ${t.severity}; ${t.confidence} confidence${c&&`; ${c}`}`,`- Evidence of the capture: ${l}`,``,`## Measured`,...t.evidence.map(e=>`- ${G(e.label)}: ${G(I(e.value,e.unit))}`),...t.where.length>0?[``,`## Places`]:[],...t.where.map(e=>{let t=[e.host,R(e.device??``),e.stream??``].filter(Boolean).join(` `);return`- ${G(e.label)}: ${G(t)}, ${vn(e.begin_ms,e.end_ms)}`}),...t.fix.actions.length>0?[``,`## Do`,...t.fix.actions.map(e=>`- ${G(e)}`)]:[],...t.command?[``,"```sh",t.command.replace(/\s+/g,` `),"```"]:[],``,`## Verify`,`Record again: the finding \`${t.id}\` is gone`+(s&&!s.time.includes(`less`)?`, and a step takes ${Ya(s.time)}.`:`.`),...d.slice(0,1).map(e=>`Look at: ${e}.`)].join(`
`)}\n`}function Ya(e){return e.startsWith(`≥`)?`no less than ${e.slice(2)}`:`about ${e}`}function G(e){return e.replace(/\s+/g,` `).replace(/[\\`*_[\]<>#|]/g,`\\$&`)}var Xa=class extends D{constructor(...e){super(...e),this.open=null}static{this.styles=E`
    :host {
      display: block;
      padding-top: 16px;
    }
    section {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: grid;
      grid-template-columns: minmax(0, 350px) minmax(0, 1fr) minmax(0, 268px);
    }
    section > div {
      min-width: 0;
      padding: 13px 18px;
    }
    section > div + div {
      border-left: 1px solid var(--line);
    }
    .head {
      align-items: center;
      color: var(--ink-2);
      display: flex;
      flex-wrap: wrap;
      font-size: 12.5px;
      font-weight: 400;
      gap: 4px 8px;
      margin: 0 0 4px;
    }
    .times {
      align-items: start;
      display: grid;
      gap: 4px 12px;
      grid-template-columns: auto auto minmax(0, auto);
      justify-content: start;
    }
    .times.groups {
      grid-template-columns: minmax(0, 1fr);
    }
    .groups .arrow {
      display: none;
    }
    .arrow {
      color: var(--ink-2);
      font-size: 20px;
      padding-top: 24px;
    }
    .big {
      font-size: 28px;
      line-height: 38px;
      white-space: nowrap;
    }
    .groups .big {
      font-size: 20px;
      line-height: 28px;
    }
    .big span {
      color: var(--ink-2);
      font-size: 13px;
      white-space: normal;
    }
    .gain {
      color: var(--good);
    }
    .note {
      font-size: 12.5px;
      line-height: 1.4;
    }
    h1 {
      font-size: 20px;
      font-weight: 500;
      line-height: 26px;
    }
    .cause {
      color: var(--ink-2);
      margin: 3px 0 8px;
    }
    .do {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px 16px;
    }
    .command {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 6px;
      overflow-wrap: anywhere;
      padding: 3px 10px;
    }
    .level {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 10px;
      color: var(--ink);
      padding: 0 8px;
      text-transform: capitalize;
    }
    .reasons {
      font-size: 12.5px;
      line-height: 1.6;
      list-style: none;
      padding: 0;
    }
    .reasons li {
      color: var(--ink-2);
      padding-left: 18px;
      position: relative;
    }
    .reasons i {
      font-style: normal;
      left: 0;
      position: absolute;
    }
    .reasons .ok {
      color: var(--good);
    }
    .reasons .doubt {
      color: var(--warning);
      font-weight: 700;
    }
    .reasons button {
      display: inline;
      text-decoration: underline;
    }
    .band {
      background: var(--warning-ground);
      border-radius: 8px;
      color: var(--warning);
      margin-bottom: 10px;
      padding: 6px 14px;
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
    h3 {
      font-size: 15px;
      font-weight: 600;
    }
    @media (max-width: 1180px) {
      section {
        grid-template-columns: minmax(0, 300px) minmax(0, 1fr);
      }
      section > .evidence {
        border-left: 0;
        border-top: 1px solid var(--line);
        grid-column: 1 / -1;
      }
    }
  `}static{this.properties={report:Object,open:Object}}changed(e){`report`in e&&(this.open=null)}template(){let{report:e,open:t}=this,n=za(e),{first:r,level:i}=n,a=i===`thin`||i===`none`?e.trust.find(e=>e.severity!==`info`):void 0;return x`
      ${a?x`<p class="band name" role="note"><b>${a.title}.</b> ${a.fix.summary}</p>`:S}
      <section aria-label="Verdict">
        <div>${Za(n)} ${Qa(e)}</div>
        <div>
          <p class="head">
            <span class="asks">${n.asks}</span>
            ${r?x`<tfperf-severity .severity=${r.severity}></tfperf-severity>
                    <span>${r.confidence} confidence</span><span class="saving">${n.saving}</span>`:S}
          </p>
          <h1 class="name">${n.action}</h1>
          <p class="name most" ?hidden=${!r||n.acts}>Most would bring: ${r?.action||r?.title}</p>
          <p class="cause name"><tfperf-text .text=${n.cause}></tfperf-text></p>
          <div class="do">
            ${r?.command?x`<code class="command name">${r.command}</code>
                    <tfperf-copy words="Copy" .text=${r.command}></tfperf-copy>`:S}
            ${r?x`<tfperf-copy words="Copy for agent" .text=${Ja(e)}></tfperf-copy>`:S}
          </div>
        </div>
        <div class="evidence">
          <h2 class="head">Evidence <span class="level" ?hidden=${!i}>${i}</span></h2>
          <ul class="reasons">
            ${this.reasons()}
          </ul>
        </div>
      </section>
      <div id="body">${t?$a(t):S}</div>
    `}reasons(){let{report:e}=this,t=new Set(e.trust.map(({title:e})=>e));return[...(e.capture_quality?.reasons??[]).filter(({text:e})=>!t.has(e)).map(({ok:e,text:t})=>x`<li>
            <i class=${e?`ok`:`doubt`} aria-hidden="true">${e?`✓`:`!`}</i
            ><span class="unseen">${e?``:`Doubt: `}</span><tfperf-text .text=${t}></tfperf-text>
          </li>`),...e.trust.map(e=>x`<li>
            <i class=${e.severity===`info`?``:`doubt`} aria-hidden="true">${dn[e.severity]}</i
            ><button
              class="bare chip name"
              aria-expanded=${e===this.open}
              aria-controls="body"
              @click=${()=>this.open=e===this.open?null:e}
            >
              <span class="unseen">${e.severity}: </span>${e.title}
            </button>
          </li>`)]}};function Za({unit:e,now:t,note:n,after:r}){return x`
    <div class="times ${t.length>1?`groups`:``}">
      <div class="now">
        <p class="head">${e}</p>
        ${t.map(({time:e,of:t})=>x`<div class="big name">${e} <span>${t}</span></div>`)}
        <p class="note name" ?hidden=${!n}>${n}</p>
      </div>
      ${r?x`<div class="arrow" aria-hidden="true">→</div>
              <div class="after">
                <p class="head">After fix 1</p>
                <div class="big gain">${r.time}</div>
                <p class="note"><b class="gain">${r.change}</b></p>
                <p class="note" ?hidden=${!r.likely}>${r.likely}</p>
              </div>`:S}
    </div>
  `}function Qa(e){let t=qa(e);if(!t)return S;let{mfu_basis:n}=e.key_numbers,r=x`; <tfperf-term word="MFU"></tfperf-term> ${t.mfu}`,i=x`; <tfperf-term word="MFU not known" .meaning=${n}></tfperf-term>`;return x`<p class="note compute name">${t.share}${t.mfu?r:n?i:S}</p>`}function $a({id:e,title:t,severity:n,summary:r,evidence:i,explains:a,fix:o,guide:s}){let c=e=>x`<tfperf-evidence .items=${e} ?hidden=${e.length===0}></tfperf-evidence>`;return x`
    <div class="note-body">
      <tfperf-severity .severity=${n}></tfperf-severity>
      <h3 class="name">${t}</h3>
      <p class="name"><tfperf-text .text=${r}></tfperf-text></p>
      ${c(i)}
      ${a.map(e=>x` <p class="name">
              It also explains: ${e.title}. ${e.summary}
              <a class="note" href=${f(document.baseURI,e.id)} target="_blank" rel="noopener"
                >How this is measured</a
              >
            </p>
            ${c(e.evidence)}`)}
      <tfperf-fix .fix=${o} .guide=${s} .rule=${e}></tfperf-fix>
      <tfperf-limits .rule=${e} .of=${t}></tfperf-limits>
    </div>
  `}customElements.define(`tfperf-verdict`,Xa);var eo=10,to=140,no=6,ro=16;function io(e,t,n){let r=Math.max(1,...e.map(({transfer_ns:e,wait_ns:t})=>e+t),...t.map(({ns:e})=>e)),i=e=>eo+to*(1-e/r),a=100/Math.max(e.length,no),o=e=>`${e.toFixed(4)}%`,s=new Vr,c=i(0),l=e.map((e,t)=>{let n=o((t+.15)*a),r=o(.7*a),l=e.transfer_ns+e.wait_ns,u=i(Math.min(e.exposed_ns??0,l)),d=o((t+.85)*a);return V(`g`,{},V(`rect`,{x:o(t*a),y:eo,width:o(a),height:162,class:`slot`}),s.fill(w(`communication.transfer`),{x:n,y:i(e.transfer_ns),width:r,height:c-i(e.transfer_ns)}),s.fill(w(`communication.wait`),{x:n,y:i(l),width:r,height:i(e.transfer_ns)-i(l)}),...e.exposed_ns===null?[]:[V(`line`,{x1:n,x2:d,y1:u,y2:u,class:`exposed`})])}),u=e.length<=ro?e.keys():[0,e.length-1];return{drawing:V(`svg`,{width:`100%`,height:172,role:`img`,"aria-label":n},s.defs,...T(r).map(e=>V(`g`,{},V(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`grid`}),V(`text`,{x:0,dx:-8,y:i(e)+4,class:`tick end`},e===0?`0`:M(e)))),...l,V(`text`,{x:0,dx:-8,y:c+16,class:`tick end`},`step`),...[...u].map(t=>V(`text`,{x:o((t+.5)*a),y:c+16,class:`tick`},e[t]?.step??``)),...t.map(({ns:e,dashes:t})=>V(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`estimate`,"stroke-dasharray":t}))),columns:l}}function ao(e){return V(`svg`,{width:24,height:12,"aria-hidden":`true`},V(`line`,{x1:0,x2:24,y1:6,y2:6,class:`estimate`,"stroke-dasharray":e}))}var oo=.01,K=e=>mt(e,`per step`)??``;function so(e,t,n=``){return{term:e,value:t,meaning:K(e),note:n}}function q(e){return e===null?`not known`:M(e)}function co({allreduce:e,collectives:t,stragglers:n}){return e!==null||t.length>0||n.length>1}function lo({ledger:e}){let t=t=>e?.accounts.find(e=>e.id===t)?.ns??0,[n,r]=[t(`communication.transfer`),t(`communication.wait`)];return n+r>0?{both:n+r,transfer:n,wait:r}:null}var uo={all_reduce:`AllReduce`,reduce_scatter:`ReduceScatter`,all_gather:`AllGather`,all_to_all:`AllToAll`,send_recv:`SendRecv`,broadcast:`Broadcast`,reduce:`Reduce`};function fo(e){return uo[e]??e}function po({kinds:e,guide_applies:t}){let n=e.map(fo),r=n.pop()??`AllReduce`,i=n.length>0?`${n.join(`, `)} and ${r}`:r;return t||e[0]!==`all_reduce`?i:`${i} between parts of the model`}function mo(e){return e.length===0?`No collective between these GPUs was recorded in these steps.`:`These steps run ${e.map(({kind:e})=>e===`other`?`other collectives`:fo(e)).join(`, `)}, and no AllReduce between several GPUs: parameters × 4 bytes / bandwidth does not apply.`}function ho({allreduce:e,collectives:t}){let n=e=>e.reduce((e,{ns:t})=>e+t,0),r=t.filter(({kind:t})=>e?.kinds.includes(t));return r.length>0&&n(r)>=n(t)/2}function go(e){let[t]=e.collectives;return e.allreduce?.measured_ns&&t&&!ho(e)?`Most of the communication is ${fo(t.kind)}. Estimates are for the exchange of gradients only.`:``}function _o(e){let t=Number((2*(e.participants-1)/e.participants).toFixed(2)),n=e.kinds.length<2&&(e.kinds[0]??`all_reduce`)===`all_reduce`;return[so(`measured transfer`,e.measured_ns===null?`not recorded`:q(e.transfer_ns),e.busbw_gbps===null?`bytes not recorded`:`${I(e.busbw_gbps,`GB/s`)} of bus bandwidth`),...e.guide_applies?[so(`guide estimate`,q(e.guide_ns),`parameters × 4 bytes / bandwidth`)]:[],so(`ring bound`,q(e.ring_bound_ns),n?`bytes × ${t} / bandwidth`:`bytes sent / bandwidth`),so(`achievable`,q(e.achievable_ns),`what such links reach`)]}function vo(e){if(e.measured_ns===null)return[];let t=e.wait_ns?yo(e):``;return[so(`measured waiting`,q(e.wait_ns),t&&`, mostly for ${t}`),so(`exposed`,q(e.exposed_ns)),so(`hidden`,q(e.hidden_ns))]}function yo({devices:e,hosts_count:t}){let n=e.reduce((e,{caused_wait_ns:t})=>e+t,0),r=e.find(({caused_wait_ns:e})=>e>n/2);return r?No(r,t>1):``}function bo(e){let t=(e,t,n)=>({term:e,value:t,meaning:n,note:``});return[t(`Parameters`,e.parameters===null?`not known`:F(e.parameters),Co(e)),t(`Bandwidth of one GPU`,e.bandwidth_gbps===null?`not known`:I(e.bandwidth_gbps,`GB/s`),e.bandwidth_source),t(`Bytes per step`,e.bytes_per_step===null?`not known`:P(e.bytes_per_step),e.bytes_source),...e.guide_applies?[t(`Guide estimate`,q(e.guide_ns),K(`guide estimate`))]:[],t(`Ring bound`,q(e.ring_bound_ns),K(`ring bound`)),t(`Achievable`,q(e.achievable_ns),e.achievable_source||K(`achievable`)),...e.measured_ns===null?[]:[t(`Measured transfer`,q(e.transfer_ns),K(`measured transfer`)),t(`Measured waiting`,q(e.wait_ns),K(`measured waiting`)),t(`Measured, both`,q(e.measured_ns),`Transfer and waiting together. Per step.`),t(`Exposed`,q(e.exposed_ns),K(`exposed`)),t(`Hidden`,q(e.hidden_ns),K(`hidden`)),t(`Bus bandwidth`,e.busbw_gbps===null?`not known`:I(e.busbw_gbps,`GB/s`),K(`bus bandwidth`))]]}function xo(e){return e.measured_ns===null?e.difference?e.difference:e.guide_ns===null?`No collective was recorded in this profile. With the number of parameters and the bandwidth, estimates say what AllReduce should take.`:`No collective was recorded in this profile; the estimates say what AllReduce should take.`:e.guide_applies?e.difference:`${e.difference} So parameters × 4 bytes / bandwidth does not apply.`.trim()}var So={given:`as typed`,recorded:`recorded by the training`,estimated:`estimated from the profile`,unknown:`not known: type it to get the estimates`};function Co({parameters_source:e,parameters_basis:t}){return t===``?So[e]:e===`unknown`?`${t}: type the number to get the estimates`:e===`estimated`?`${So[e]}: ${t}`:t}function wo(e){let t=e.parameters===null?``:`${F(e.parameters)}, `,n=e.parameters_source===`given`?`. Empty the field to go back.`:``;return`${t}${Co(e)}${n}`}function To({bandwidth_gbps:e,bandwidth_source:t}){return e===null?`${t||`not known`}: type it to get the estimates`:`${I(e,`GB/s`)}, ${t}`}function Eo(e){return[[`guide estimate`,e.guide_ns,`6 4`],[`ring bound`,e.ring_bound_ns,`none`],[`achievable`,e.achievable_ns,`2 3`]].flatMap(([e,t,n])=>t===null?[]:[{words:e,ns:t,dashes:n}])}function Do(e){let{allreduce:t,steps:n}=e;return t&&t.steps.length>0&&ho(e)?{heading:`${po(t)} of each step`,steps:t.steps.map(e=>({...e,step:String(e.step)})),transfer:`measured transfer`,wait:`measured waiting`,lines:Eo(t)}:{heading:`Exposed communication of each step`,steps:(lo(e)?n.columns.filter(e=>e.judged):[]).map(({id:e,accounts:t})=>({step:e,transfer_ns:t[`communication.transfer`]??0,wait_ns:t[`communication.wait`]??0,exposed_ns:null})),transfer:`Exposed transfer`,wait:`Straggler wait`,lines:[]}}function Oo({heading:e,steps:t,transfer:n,wait:r,lines:i}){let a=t.map(({transfer_ns:e,wait_ns:t})=>e+t),o=[Math.min(...a),Math.max(...a)].map(M),s=i.map(({words:e,ns:t})=>`${e} ${M(t)}`);return[`${e} (${F(t.length)}): ${n} and ${r} together take ${o.join(` to `)}`,...s].join(`; `)}function ko({transfer:e,wait:t},{step:n,transfer_ns:r,wait_ns:i,exposed_ns:a}){let o=[`${e} ${M(r)}`,`${t} ${M(i)}`];return a!==null&&o.push(`exposed ${M(a)}`),`Step ${n}: ${o.join(`, `)}`}function Ao({stragglers:e,allreduce:t,ledger:n,steps:r}){let i=oo*(n?.step_ns??r.p50_ns),a=new Set(e.map(({host:e})=>e)).size>1,o=({host:e,device:t})=>JSON.stringify([e,t]),s=new Map((t?.devices??[]).map(e=>[o(e),e.caused_wait_ns])),c=jo(e.map(({behind_ns:e})=>e)),l=jo(e.map(e=>s.get(o(e))??null));return e.map((e,t)=>({name:No(e,a),behind:c[t]??``,last:N(e.last_ratio),others:l[t]??``,cause:e.behind_ns<i?`not late`:e.cause||`not known`}))}function jo(e){let t=Math.max(...e.map(e=>e??0)),[n,r]=t>=1e9?[`s`,1e9]:t>=1e5?[`ms`,1e6]:[`µs`,1e3],i=t>=100*r?0:t>=r?1:2,a=10**-i;return e.map(e=>{if(e===null)return``;if(t===0)return M(0);let o=e>0&&e<a*r/2;return`${o?`<`:``}${(o?a:e/r).toFixed(i)}\u00a0${n}`})}function Mo(e,t){let n=e[t-1]?.up_to_bytes??null,r=e[t]?.up_to_bytes??null;return r===null?n===null?`largest`:`more than ${P(n)}`:`up to ${P(r)}`}function No({host:e,device:t},n){return n?`${e} ${R(t)}`:R(t)}function Po({last:e}){if(!e)return`not known`;let t=e.lastIndexOf(` `)+1;return`${e.slice(0,t)}${R(e.slice(t))}`}function Fo(e){let t=e.size_bytes===null?``:` of ${P(e.size_bytes)}`;return{host:e.host,begin_ms:e.begin_ms,end_ms:e.end_ms,label:`${fo(e.kind)}${t}, ${M(e.transfer_ns)} of transfer`,device:null,stream:null,step:e.step}}var Io=e=>e===null?`not recorded`:P(e),Lo=e=>e===null?`not known`:I(e,`GB/s`);function J(e,t){return{head:e,cell:t,kind:`number`}}var Ro=[{head:`What`,cell:({term:e})=>e},J(`Value`,({value:e})=>e),{head:`How it is known`,cell:({meaning:e})=>e,kind:`note name`}],zo=[{head:`Collective`,cell:({kind:e})=>fo(e)},J(`Calls per step`,({calls_per_step:e})=>F(e)),J(`Time per step`,({ns:e})=>M(e)),J(`Of it waiting`,({wait_ns:e})=>e===null?`not known`:M(e))];function Bo(e){return[{head:`GPU`,cell:({name:e})=>e,kind:`name`},J(`Behind`,({behind:e})=>e),J(`Comes last`,({last:e})=>e),...e.some(({others:e})=>e)?[J(`Others wait`,({others:e})=>e||`not known`)]:[],{head:`Cause`,cell:({cause:e})=>e,kind:`note name`}]}function Vo({transfer:e,wait:t,steps:n}){let r=e=>`${e[0]?.toUpperCase()}${e.slice(1)}`;return[{head:`Step`,cell:({step:e})=>e,kind:`name`},J(r(e),({transfer_ns:e})=>M(e)),J(r(t),({wait_ns:e})=>M(e)),J(`Both`,({transfer_ns:e,wait_ns:t})=>M(e+t)),...n.some(({exposed_ns:e})=>e!==null)?[J(`Exposed`,({exposed_ns:e})=>M(e??0))]:[]]}function Ho({sizes:e}){return[{head:`Size`,cell:(t,n)=>Mo(e,n)},J(`Calls per step`,({calls_per_step:e})=>F(e)),J(`Bytes per step`,({bytes_per_step:e})=>Io(e)),J(`Transfer per step`,({transfer_ns:e})=>M(e)),J(`Bus bandwidth`,({busbw_gbps:e})=>Lo(e)),J(`Achievable`,({achievable_gbps:e})=>Lo(e)),{head:`Source of the achievable`,cell:({achievable_source:e})=>e,kind:`note name`}]}function Uo({hosts_count:e}){return[{head:`GPU`,cell:t=>No(t,e>1),kind:`name`},J(`Transfer per step`,({transfer_ns:e})=>M(e)),J(`Waits per step`,({wait_ns:e})=>M(e)),J(`Came last in`,({last_ratio:e})=>`${N(e)} of calls`),J(`Others wait for it`,({caused_wait_ns:e})=>M(e))]}function Wo(e){return[{head:`Call`,cell:({kind:e})=>fo(e)},J(`Step`,({step:e})=>String(e)),J(`Size`,({size_bytes:e})=>Io(e)),J(`GPUs`,({participants:e,hosts_count:t})=>`${F(e)}${t>1?` on ${L(t,`host`)}`:``}`),J(`Transfer`,({transfer_ns:e})=>M(e)),J(`Waiting of all`,({wait_ns:e})=>M(e)),J(`Exposed`,({exposed_ns:e})=>M(e)),{head:`Came last`,cell:Po,kind:`name`},{head:`In the trace at`,kind:`number`,cell:t=>{let n=_n(t.begin_ms),r=e(t);if(!r)return n;let i=document.createElement(`button`);return i.className=`bare open`,i.textContent=n,i.setAttribute(`aria-label`,`Show ${fo(t.kind)} of step ${t.step} at ${n} in the trace`),i.addEventListener(`click`,r),i}}]}var Go=[`NVLink 2`,`NVLink 3`,`NVLink 4`,`NVLink 5`,`PCIe 3 x16`,`PCIe 4 x16`,`PCIe 5 x16`],Ko=8;function qo(e){let{allreduce:t}=e,n=Do(e),r=Ao(e);return{chart:n,late:r,latest:Bo(r),steps:Vo(n),lines:t?bo(t):[],sizes:t?Ho(t):[],devices:t?Uo(t):[]}}var Jo=class extends D{constructor(...e){super(...e),this.access=null,this.typed=Xe,this.refused=Qe,this.recomputing=!1,this.chosen=null,this.traced=null,this.settled={parameters:``,bandwidth:``}}static{this.styles=E`
    :host {
      display: block;
    }
    h3 {
      font-size: 14px;
      font-weight: 600;
    }
    h3 small {
      color: var(--ink-2);
      font-size: 13px;
      font-weight: 400;
      margin-left: 8px;
    }
    b {
      font-variant-numeric: tabular-nums;
      font-weight: 600;
      white-space: nowrap;
    }
    .card {
      margin-top: 12px;
    }
    .head {
      align-items: baseline;
      display: flex;
      gap: 12px;
      justify-content: space-between;
    }
    .tiles {
      display: grid;
      gap: 8px 16px;
      grid-template-columns: repeat(4, minmax(0, 1fr));
      list-style: none;
      margin-top: 6px;
      padding: 0;
    }
    .tiles b {
      display: block;
      font-size: 18px;
    }
    .tiles .note {
      font-size: 12.5px;
    }
    .fields {
      display: grid;
      gap: 8px 32px;
      grid-template-columns: repeat(2, minmax(0, 1fr));
      margin-top: 12px;
    }
    label {
      display: block;
      font-size: 13px;
    }
    input {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      display: block;
      margin-top: 3px;
      max-width: 300px;
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
    .fields p {
      margin-top: 3px;
    }
    .fields .note::first-letter {
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
      margin-top: 10px;
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
    .difference {
      margin-top: 4px;
    }
    .pair {
      display: grid;
      gap: 20px 32px;
      grid-template-columns: minmax(0, 1fr);
      margin-top: 16px;
    }
    /* The chart's tip has room of its own. */
    #chart {
      margin-top: 6px;
      padding: 0 0 36px 60px;
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
    .legend {
      margin-top: 4px;
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
    .scroll td.name {
      min-width: 72px;
    }
    .scroll td.note {
      min-width: 190px;
    }
    @media (min-width: 1180px) {
      .pair {
        grid-template-columns: repeat(2, minmax(0, 1fr));
      }
    }
    @media (max-width: 799px) {
      .tiles,
      .fields {
        grid-template-columns: repeat(2, minmax(0, 1fr));
      }
    }
  `}static{this.properties={report:Object,access:Object,typed:Object,refused:Object,recomputing:Boolean,chosen:Object,traced:Object}}changed(e){let{access:t}=this;`report`in e&&(this.chosen=null,this.traced=null,this.parts=qo(this.report)),`access`in e&&(this.calls=Wo(e=>g(t,e.host)?()=>this.showCall(e):null))}template(){let{report:e,chosen:t,traced:n}=this,{allreduce:r,collectives:i}=e,{chart:a,late:o,latest:s,lines:c,steps:l}=this.parts,u=lo(e),d=i.some(({kind:e})=>!r?.kinds.includes(e));return x`
      ${u?x`<p>
              <tfperf-term word="Exposed communication"></tfperf-term> <b>${M(u.both)}</b> of a step:
              <tfperf-term word="Exposed transfer"></tfperf-term> <b>${M(u.transfer)}</b>,
              <tfperf-term word="Straggler wait"></tfperf-term> <b>${M(u.wait)}</b>.
            </p>`:S}
      <p>${r?go(e):mo(i)}</p>
      <tfperf-table
        panel="allreduce"
        heading="Collectives by kind"
        .columns=${zo}
        .items=${d?i:[]}
        .open=${!ho(e)}
        note="Time of all calls, hidden under compute or not; “waiting”: before the last GPU arrives."
      ></tfperf-table>
      ${r?this.exchange(r):S}
      <div class="pair">
        <div ?hidden=${a.steps.length===0}>
          <h3>${a.heading}</h3>
          <ul id="legend" class="legend" aria-label="Columns, one a step, and lines across them"></ul>
          <div id="chart"></div>
        </div>
        <div ?hidden=${o.length===0}>
          <h3>Who comes last</h3>
          <div class="scroll" tabindex="0" role="group" aria-label="Who comes last">${this.table(s,o)}</div>
          <p class="note">
            “Behind”: median delay behind the first GPU. “Comes last”: share of calls, or of
            steps.${s.length>4?` “Others wait”: for it, per step.`:``}
          </p>
          <tfperf-table
            panel="allreduce"
            heading="All ${F(o.length)} GPUs"
            .columns=${s}
            .items=${o.length>Ko?o:[]}
          ></tfperf-table>
        </div>
      </div>
      <div class="tables">
        <tfperf-table
          panel="allreduce"
          heading="Each number, and how it is known"
          .columns=${Ro}
          .items=${c}
        ></tfperf-table>
        <tfperf-table panel="allreduce" heading=${a.heading} .columns=${l} .items=${a.steps}></tfperf-table>
        ${r?this.tables(r):S}
      </div>
      ${t?x`<tfperf-places
              .run=${e.run}
              .places=${[t]}
              .access=${this.access}
              .shown=${n!==null}
              @show-trace=${this.onTrace}
            ></tfperf-places>`:S}
      ${n?x`<tfperf-trace .run=${e.run} .place=${n}></tfperf-trace>`:S}
    `}exchange(e){let t=e.hosts_count>1?` on ${L(e.hosts_count,`host`)}`:``,n=e.measured_ns===null?``:`, ${L(e.calls_per_step,`call`)} per step`,r=xo(e),i=vo(e),a=({term:e,meaning:t})=>x`<tfperf-term .word=${e} .meaning=${t}></tfperf-term>`;return x`
      <div class="card">
        <div class="head">
          <h3>${po(e)} <small>${L(e.participants,`GPU`)}${t}${n}</small></h3>
          <span class="note" role="status">${this.recomputing?`Recomputing …`:``}</span>
        </div>
        <ul class="tiles" aria-label="Per step">
          ${_o(e).map(e=>x`<li>${a(e)} <b>${e.value}</b> <span class="note">${e.note}</span></li>`)}
        </ul>
        <div class="fields">
          ${e.guide_applies?this.field(`parameters`,`Parameters of the model`,e.parameters?Cn(e.parameters):`e.g. 25.6M`,wo(e)):S}
          ${this.field(`bandwidth`,`Bandwidth of one GPU`,e.bandwidth_gbps?I(e.bandwidth_gbps,`GB/s`):`e.g. 600 GB/s or NVLink 3`,To(e),x` <datalist id="links">${Go.map(e=>x`<option .value=${e}></option>`)}</datalist> `)}
        </div>
        <ul class="numbers" ?hidden=${i.length===0} aria-label="Further numbers">
          ${i.map(e=>x`<li>${a(e)} <b>${e.value}</b><span class="name">${e.note}</span></li>`)}
        </ul>
        <p class="difference name" ?hidden=${!r}>${r}</p>
      </div>
    `}field(e,t,n,r,i=S){let a=this.refused[e];return x`
      <div>
        <label for=${e}>${t}</label>
        <input
          id=${e}
          type="text"
          autocomplete="off"
          spellcheck="false"
          list=${i===S?S:`links`}
          placeholder=${n}
          aria-invalid=${a!==null}
          aria-describedby="${e}-refused ${e}-note"
          @change=${this.onTyped}
        />
        ${i}
        <p id="${e}-refused" class="refused name" role="alert" ?hidden=${!a}>${a?.message}</p>
        <p id="${e}-note" class="note name">${r}</p>
      </div>
    `}table(e,t){return x`<table>
      <thead>
        <tr>
          ${e.map(({head:e,kind:t})=>x`<th class=${t??``}>${e}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${t.slice(0,Ko).map((t,n)=>x`<tr>
              ${e.map(({cell:e,kind:r})=>x`<td class=${r??``}>${e(t,n)}</td>`)}
            </tr>`)}
      </tbody>
    </table>`}tables(e){let t=e.calls.length;return x`
      <tfperf-table
        panel="allreduce"
        heading="By size of the call"
        .columns=${this.parts.sizes}
        .items=${e.sizes}
      ></tfperf-table>
      <tfperf-table
        panel="allreduce"
        heading="By GPU"
        .columns=${this.parts.devices}
        .items=${e.devices}
        note="“Others wait for it”: per step, averaged over the other GPUs."
      ></tfperf-table>
      <tfperf-table
        panel="allreduce"
        heading="The longest calls"
        .columns=${this.calls}
        .items=${e.calls}
        .note=${e.calls_total>t?`The ${F(t)} longest of ${F(e.calls_total)} calls.`:``}
      ></tfperf-table>
    `}drawn(e){let{chart:t}=this.parts;if((`typed`in e||`refused`in e||`report`in e)&&this.fill(),!(`report`in e)||t.steps.length===0)return;let{drawing:n,columns:r}=io(t.steps,t.lines,Oo(t)),i=this.child(`chart`);i.replaceChildren(n),new k(i).explain(n,r,t.steps.map(e=>ko(t,e)));let a=(e,t)=>{let n=document.createElement(`li`);return n.append(e,t),n};this.child(`legend`).replaceChildren(H(w(`communication.transfer`),t.transfer),H(w(`communication.wait`),t.wait),...t.steps.some(({exposed_ns:e})=>e!==null)?[a(document.createElement(`i`),`exposed: not hidden by compute`)]:[],...t.lines.map(({words:e,ns:t,dashes:n})=>a(ao(n),`${e} ${M(t)}`)))}fill(){for(let e of Ze){let t=this.shadowRoot.querySelector(`#${e}`);t&&t.value===this.settled[e]&&(t.value=this.settled[e]=this.refused[e]?.text??this.typed[e]??``)}}onTyped(e){let{id:t,value:n}=e.target,r=t;this.settled[r]=n,O(this,`assume`,{field:r,text:n.trim()||null})}onTrace(e){this.traced=e.detail.place}showCall(e){this.chosen=this.traced=Fo(e)}};customElements.define(`tfperf-communication`,Jo);var Yo=[{id:`html`,words:`HTML`,note:`one file that needs nothing else`},{id:`markdown`,words:`Markdown`,note:`for a pull request or a wiki`},{id:`json`,words:`JSON`,note:`all numbers`}],Xo=class extends D{constructor(...e){super(...e),this.run=null,this.typed=null,this.shown=!1}static{this.styles=E`
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
  `}static{this.properties={run:String,typed:Object,shown:Boolean}}template(){let{run:e,typed:t,shown:n}=this,r=n=>e&&t?p(document.baseURI,e,t,n):S;return x`
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
        ${Yo.map(({id:e,words:t,note:n})=>x`<a role="menuitem" tabindex="-1" href=${r(e)} download>${t}<span>${n}</span></a>`)}
      </div>
    `}ready(){super.ready(),this.addEventListener(`focusout`,({relatedTarget:e})=>{e instanceof Node&&this.contains(e)||(this.shown=!1)})}onOpen(){this.shown=!this.shown,this.shown&&this.focusItem(0)}onHide(){this.shown=!1,this.shadowRoot.querySelector(`button`)?.focus()}onButtonKey(e){(e.key===`ArrowDown`||e.key===`ArrowUp`)&&(e.preventDefault(),this.shown=!0,this.focusItem(e.key===`ArrowDown`?0:-1))}onKey(e){let t=this.items(),n=t.indexOf(this.shadowRoot.activeElement);if(e.key===`Escape`||e.key===`Tab`){this.onHide();return}e.key===` `&&t[n]?.click();let r={ArrowDown:n+1,ArrowUp:n-1,Home:0,End:-1," ":null}[e.key];r!==void 0&&(e.preventDefault(),r!==null&&this.focusItem(r))}focusItem(e){this.drawNow();let t=this.items();t[(e+t.length)%t.length]?.focus()}items(){return[...this.shadowRoot.querySelectorAll(`#menu a`)]}};customElements.define(`tfperf-export`,Xo);var Zo=class extends D{constructor(...e){super(...e),this.runs=[],this.run=null,this.base=null,this.report=null,this.typed=Xe}static{this.styles=E`
    :host {
      align-items: center;
      border-bottom: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 8px 16px;
      padding: 16px 0 14px;
    }
    .run {
      font-weight: 600;
    }
    .run,
    .base {
      max-width: min(420px, 70vw);
    }
    .end {
      align-items: center;
      display: flex;
      flex: 1 1 340px;
      gap: 16px;
      justify-content: end;
      min-width: 0;
    }
    .about {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 2;
      display: -webkit-box;
      min-width: 0;
      overflow: hidden;
      overflow-wrap: anywhere;
      text-align: right;
    }
  `}static{this.properties={runs:Array,run:String,base:String,report:Object,typed:Object}}template(){let{run:e,base:t,report:n}=this,r=n?Qo(n):``,i=this.runs.length>1;return x`
      <button class="button" ?hidden=${!i} title="All runs (r)" @click=${()=>O(this,`go-to-runs`)}>
        ‹ Runs
      </button>
      <span class="run name">${e}</span>
      ${t===null||t===e?S:x`<span class="base name note">Baseline ★ ${t}</span>`}
      <button
        class="button"
        ?hidden=${!i}
        aria-pressed=${t===e}
        title="Compare other runs with this one (p)"
        @click=${()=>O(this,`base-change`,{base:t===e?null:e})}
      >
        ${t===e?`★ Baseline`:`☆ Pin as baseline`}
      </button>
      <div class="end">
        <p class="about note" title=${r}>${r}</p>
        <tfperf-export .run=${e} .typed=${this.typed} ?hidden=${!n}></tfperf-export>
      </div>
    `}};function Qo({steps:e,gpus:t,hosts:n,timing:r}){let i=r.reduce((e,{ns:t})=>e+t,0);return[L(e.count,`step`),t.total>0?En(t):`no GPU`,n.length===1?`host ${n[0]}`:L(n.length,`host`),i>0?`analyzed in ${M(i)}`:``].filter(Boolean).join(` · `)}customElements.define(`tfperf-bar`,Zo);var $o=class extends D{constructor(...e){super(...e),this.open=null}static{this.styles=E`
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
  `}static{this.properties={report:Object,open:String}}template(){let{open:e}=this,t=ts(this.report).filter(([,e])=>e.length>0);return x`
      <div class="groups">
        ${t.map(([t,n])=>x` <button
              class="bare group"
              aria-expanded=${t===e}
              aria-controls="rows"
              @click=${()=>this.open=t===e?null:t}
            >
              <b>${F(n.length)}</b>${` ${t}`}
            </button>`)}
      </div>
      <div id="rows">
        ${t.map(([t,n,r])=>t===e?x`<ul class="rows" aria-label=${t}>
                ${n.map(e=>es(e,r))}
              </ul>`:S)}
      </div>
    `}};function es({id:e,title:t,reason:n,how:r},i){return x`
    <li>
      <div class="title">
        <h3 class="name">${t}</h3>
        ${i?x`<a
                class="note"
                href=${f(document.baseURI,e)}
                target="_blank"
                rel="noopener"
                aria-label="How this is measured: ${t}"
                >How this is measured</a
              >`:S}
      </div>
      <p class="reason">${n}</p>
      <p class="note reason" ?hidden=${!r}>${r}</p>
      ${i?x`<tfperf-limits .rule=${e} .of=${t}></tfperf-limits>`:S}
    </li>
  `}function ts(e){let t=e.anomalies.map(e=>({id:e.name,title:`${e.name} (${F(e.count)})`,reason:e.sentence,how:e.severity===`data_loss`?`Part of the recorded data could not be used.`:``}));return[[`failed while checking`,e.errors,!0],[`passed`,e.passed,!0],[`could not be checked, and how to`,e.missing_data,!0],[`do not apply`,e.not_applicable,!0],[`to check by hand`,e.manual,!1],[`oddities in the file`,t,!1]]}customElements.define(`tfperf-checks`,$o);var ns=5e-4,rs=.003;function is(e,t,n,r=20,i=new Vr){let a=e=>`${(e/t*100).toFixed(4)}%`,o=0,s=e.map(({look:e,ns:n})=>{let s=a(o);if(o+=n,n<=t*ns)return null;let c=i.fill(e,{x:s,y:-.5,width:a(n),height:r+1});return n<=t*rs&&c.setAttribute(`stroke`,`none`),c});return{drawing:V(`svg`,{class:`stacked`,width:`100%`,height:r,role:`img`,"aria-label":n},...i.defs.parentNode?[]:[i.defs],...s.filter(e=>e!==null)),segments:s}}var as={appeared:`New`,vanished:`Gone`,unchecked:`No longer checked`,changed:`Changed`,same:`As before`};function os({scaling:e,accounts:t,basis:n}){return e?{title:`Where the rest of the GPUs’ time goes`,first:`Ideal`,second:`Real`,change:`Lost`,accounts:e.accounts}:{title:n===`examples`?`Before and now, for the examples of one step before`:`A step before and now`,first:`Before`,second:`Now`,change:`Change`,accounts:t}}function ss({first:e,second:t,accounts:n}){return[[e,`base_ns`],[t,`new_ns`]].map(([e,t])=>{let r=n.reduce((e,n)=>e+n[t],0);return{name:e,total:r,parts:At(n.map(e=>({id:e.id,ns:e[t]}))).map(({id:t,ns:n})=>({look:w(t),ns:n,words:`${e}: ${w(t).words}, ${M(n)}, ${N(n/r)}`}))}})}function cs(e){let t=At(e.map(e=>({...e,ns:e.base_ns+e.new_ns}))),n=t=>e.reduce((e,n)=>e+n[t],0);return[...t.map(e=>({...e,words:w(e.id).words})),{id:``,words:`together`,base_ns:n(`base_ns`),new_ns:n(`new_ns`),delta_ns:n(`delta_ns`)}]}function ls(e){return e===0?M(0):`${e>0?`+`:`−`}${M(Math.abs(e))}`}function us(e,t){return e===null?`not recorded`:I(e,t)}function ds({step_ns:e,steps_count:t,gpus_count:n,hosts_count:r,devices:i}){let a=n>0?`${F(n)} × ${i.join(`, `)||`GPU`}`:`no GPU`;return[e===null?``:`${M(e)} per step`,`${F(t)} steps`,a,r>1?`${F(r)} hosts`:``].filter(Boolean).join(` · `)}var fs={better:`▼`,worse:`▲`,same:`=`,cannot_compare:`?`},ps=[{head:`Since then`,cell:({status:e})=>as[e]},{head:`Finding`,cell:({title:e})=>e,kind:`name`},{head:`Cost before`,cell:e=>ys(e.base_ns,e.base_severity),kind:`number`},{head:`Cost now`,cell:e=>ys(e.new_ns,e.new_severity),kind:`number`},{head:`Where it is not found, the check says`,cell:({note:e})=>e,kind:`note name`}],ms=[{head:`Number`,cell:({label:e})=>e,kind:`name`},{head:`Before`,cell:e=>us(e.base,e.unit),kind:`number`},{head:`Now`,cell:e=>us(e.new,e.unit),kind:`number`}],hs=[{head:`Setting`,cell:({label:e})=>e,kind:`name`},{head:`Before`,cell:e=>e.base,kind:`name`},{head:`Now`,cell:e=>e.new,kind:`name`}],gs=class extends D{constructor(...e){super(...e),this.comparison=null,this.problem=``,this.waiting=``,this.loading=new AbortController}static{this.styles=E`
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
  `}static{this.properties={backend:Object,base:String,run:String,comparison:Object,problem:String,waiting:String}}disconnectedCallback(){super.disconnectedCallback(),this.loading.abort()}changed(e){[`backend`,`base`,`run`].some(t=>t in e)&&this.load()}template(){let{comparison:e,problem:t,waiting:n}=this,r=e&&os(e),{reasons:i=[],scaling:a,prediction:o,caveats:s=[],findings:c=[],numbers:l=[],settings:u=[]}=e??{},d=[...i,a?.sentence,o?.sentence].filter(Boolean),f=r?.accounts.length?cs(r.accounts):[];return x`
      <header>
        <h2>Compared with <span class="name">${this.base}</span></h2>
        <button class="button" @click=${this.onClose}>Stop comparing</button>
      </header>
      <div id="said" role="status" aria-live="polite">
        <p class="note" ?hidden=${!n}>${n}</p>
        <p class="verdict name" ?hidden=${!t}><b aria-hidden="true">?</b><span>${t}</span></p>
        <div ?hidden=${!e}>
          <p class="verdict name ${e?.verdict}">
            <b aria-hidden="true">${e&&fs[e.verdict]}</b><span>${e?.sentence}</span>
          </p>
          <ul class="words">
            ${d.map(e=>x`<li>${e}</li>`)}
          </ul>
          <ul class="words note" aria-label="To keep in mind">
            ${s.map(e=>x`<li>Note: ${e}</li>`)}
          </ul>
        </div>
      </div>
      <div ?hidden=${!e}>
        <dl>
          <dt>Before</dt>
          <dd class="name">${e&&ds(e.base)}</dd>
          <dt>Now</dt>
          <dd class="name">${e&&ds(e.new)}</dd>
        </dl>
        <div ?hidden=${f.length===0}>
          <h3>${r?.title}</h3>
          <div id="chart"><div id="rows"></div></div>
          <ul id="legend" class="legend" aria-label="Colors"></ul>
          <tfperf-table
            id="accounts"
            heading="Each account"
            .columns=${r?_s(r):[]}
            .items=${f}
            open
          ></tfperf-table>
        </div>
        <tfperf-table
          id="findings"
          heading="Findings that appeared, vanished or changed"
          .columns=${ps}
          .items=${c.filter(({status:e})=>e!==`same`)}
          open
        ></tfperf-table>
        <tfperf-table
          id="alike"
          heading="Findings as before"
          .columns=${ps}
          .items=${c.filter(({status:e})=>e===`same`)}
        ></tfperf-table>
        <tfperf-table id="numbers" heading="Key numbers" .columns=${ms} .items=${l}></tfperf-table>
        <tfperf-table
          id="settings"
          heading="What the trainings recorded differently"
          .columns=${hs}
          .items=${u}
        ></tfperf-table>
      </div>
    `}drawn(e){this.comparison&&`comparison`in e&&this.draw(os(this.comparison))}async load(){let{backend:e,base:t,run:n}=this;this.loading.abort(),this.comparison=null,this.problem=``,this.waiting=`Comparing …`,this.loading=new AbortController;let{signal:r}=this.loading,i=({share:e})=>{r.aborted||(this.waiting=`Analyzing both runs, ${N(e)} done …`)};try{let a=await e.compare(t,n,i,r);r.aborted||(this.comparison=a)}catch(e){r.aborted||(this.problem=e instanceof Error?e.message:String(e))}r.aborted||(this.waiting=``)}onClose(){O(this,`base-change`,{base:null})}draw(e){this.tip??=new k(this.child(`chart`)),this.tip.hide();let t=ss(e),n=Math.max(...t.map(({total:e})=>e),1);this.child(`rows`).replaceChildren(...t.map(({name:e,total:t,parts:r})=>{let{drawing:i,segments:a}=is(r,n,`${e}, ${M(t)}: ${r.map(({words:e})=>e).join(`; `)}`);this.tip?.explain(i,a,r.map(({words:e})=>e));let o=document.createElement(`div`);return o.className=`row`,o.append(vs(e),i,vs(M(t))),o}));let r=cs(e.accounts).filter(e=>e.id&&Math.max(e.base_ns,e.new_ns)>=n/200);this.child(`legend`).replaceChildren(...r.map(({id:e,words:t})=>H(w(e),t)))}};function _s(e){return[{head:`Account`,cell:({words:e})=>e,kind:`name`},{head:e.first,cell:({base_ns:e})=>M(e),kind:`number`,value:({base_ns:e})=>e},{head:e.second,cell:({new_ns:e})=>M(e),kind:`number`,value:({new_ns:e})=>e},{head:e.change,cell:({delta_ns:e})=>ls(e),kind:`number`,value:({delta_ns:e})=>e}]}function vs(e){let t=document.createElement(`span`);return t.textContent=e,t}function ys(e,t){return t===null?``:e===null?t:`${M(e)}, ${t}`}customElements.define(`tfperf-compare`,gs);var bs=[`Kind`,`Time`,`Needed`,`Could be won`,`Not judged`,`In parts`],xs=class extends D{static{this.styles=E`
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
  `}static{this.properties={ledger:Object}}template(){let{ledger:e}=this,{rows:t,sum:n}=kn(e.compute_parts);return x`
      <h2>Compute against the GPU’s limits <small>average of GPUs, per step</small></h2>
      <p><tfperf-text .text=${Nn(e)}></tfperf-text></p>
      <p><tfperf-text .text=${Mn(e)}></tfperf-text></p>
      <p><a href="page?rule=compute" target="_blank" rel="noopener">How compute is judged</a></p>
      <div class="scroll" tabindex="0" role="group" aria-label="Compute by kind of kernels">
        <table>
          <thead>
            <tr>
              ${bs.map((e,t)=>x`<th class=${t>0&&t<5?`number`:``}>${Ur(e,`compute`)}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${t.map(e=>Ss(e,``,n.ns))} ${Ss(n,`sum`,n.ns)}
          </tbody>
        </table>
      </div>
    `}};function Ss(e,t,n){let r=jn(e),i=r.map(({look:e,ns:t})=>`${e.words}, ${M(t)}`).join(`; `);return x`
    <tr class=${t}>
      <td><tfperf-text .text=${e.kind}></tfperf-text></td>
      ${[e.ns,e.floor_ns,e.recoverable_ns,e.not_judged_ns].map(e=>x`<td class="number">${M(e)}</td>`)}
      <td>${is(r,Math.max(1,n),`${e.kind}: ${i}`,14).drawing}</td>
    </tr>
  `}customElements.define(`tfperf-compute`,xs);var Cs=`input:not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable]`;function ws(e){let[t]=e.composedPath();return!(t instanceof Element&&t.matches(Cs))&&!e.defaultPrevented&&!e.ctrlKey&&!e.metaKey&&!e.altKey}var Y=e=>({outline:t})=>t&&e(t),Ts=[`none`,`thin`,`fair`,`strong`],Es=[`info`,`warning`,`critical`],Ds=[{id:`run`,head:`Run`,value:({run:e})=>e},{id:`recorded`,head:`Recorded`,value:({recorded:e})=>e||null,falling:!0},{id:`gpus`,head:`GPUs`,value:Y(({gpus_count:e})=>e),falling:!0},{id:`step`,head:`Step, median`,value:Y(({p50_ns:e})=>e),falling:!0,kind:`number`},{id:`each`,head:`Each step`,value:Y(({steps_count:e})=>e),falling:!0},{id:`compute`,head:`Compute`,value:Y(({compute_ratio:e})=>e),kind:`number`},{id:`active`,head:`GPU active`,value:Y(({active_ratio:e})=>e),kind:`number`},{id:`exposed`,head:`Exposed comm.`,value:Y(({exposed_ns:e})=>e),falling:!0,kind:`number`},{id:`finding`,head:`Top finding`,value:Y(({finding:e,settled:t})=>t?-1:e&&Es.indexOf(e.severity)),falling:!0},{id:`recoverable`,head:`Recoverable`,value:Y(({recoverable_ns:e})=>e),falling:!0},{id:`against`,head:`Against ★`,value:({against:e})=>e&&e.change},{id:`evidence`,head:`Evidence`,value:Y(({evidence:e})=>e&&Ts.indexOf(e))}],Os=[{id:`critical`,words:`Critical`,is:({outline:e})=>e?.finding?.severity===`critical`},{id:`thin`,words:`Thin evidence`,is:({outline:e})=>[`thin`,`none`].includes(e?.evidence??``)},{id:`settled`,words:`Nothing to fix`,is:({outline:e})=>e?.settled??!1},{id:`comparable`,words:`Comparable with ★`,is:({against:e})=>e!==null&&e.verdict!==`cannot_compare`}];function ks(e){let t=Ds.find(({id:t})=>t===e?.replace(/^-/,``));return t?{column:t,falling:(t.falling??!1)!==e?.startsWith(`-`)}:null}function As(e,t){return e===t?`-${t}`:t}function js(e,t,n){let r=(n.filter??``).toLowerCase().split(/\s+/).filter(Boolean),i=Os.find(({id:e})=>e===n.only),a=e.map(({name:e})=>e).filter(e=>{let n=t.get(e);if(i&&!(n&&i.is(n)))return!1;let a=r.length>0?Ms(e,n).toLowerCase():``;return r.every(e=>a.includes(e))}),o=ks(n.sort);if(!o)return a;let{column:s,falling:c}=o;if(s.id===`recorded`)return c?a:a.reverse();let l=e=>{if(s.id===`run`)return e;let n=t.get(e);return n?s.value(n):null};return a.map(e=>({name:e,value:l(e)})).sort((e,t)=>{if(e.value===null||t.value===null)return Number(e.value===null)-Number(t.value===null);let n=typeof e.value==`number`&&typeof t.value==`number`?e.value-t.value:String(e.value).localeCompare(String(t.value),`en`,{numeric:!0});return c?-n:n}).map(({name:e})=>e)}function Ms(e,t){let n=t?.outline;return[e,...(n?.gpus??[]).map(e=>e.name),n?.finding?.title].join(` `)}function Ns(e,t){return e?e.error?!1:e.outline===null||t!==null&&e.against===null:!0}var Ps=40,Fs=6e3;function Is(e){let t=0;return e.slice(0,Ps).filter((e,n)=>(t+=encodeURIComponent(e).length+5,n===0||t<=Fs))}function Ls(e){return e.replace(/^(?:(?:NVIDIA|AMD|Tesla|GeForce|Quadro) )+/i,``).replace(/-(?:SXM|PCIE|PCI).*$/i,``)}function Rs({gpus:e,gpus_count:t,hosts_count:n}){if(t===0)return`no GPU`;let[r,...i]=e,a=Ls(r?.name??``)||`GPU`;return i.length>0?e.map(e=>`${e.count} × ${Ls(e.name)||`GPU`}`).join(`, `):n>1&&t%n===0?`${n} × ${t/n} ${a}`:`${t} × ${a}`}var zs={strong:`Strong`,fair:`Fair`,thin:`Thin`,none:`None`};function Bs({verdict:e,change:t,why:n}){return e===`base`?{change:``,words:`baseline`}:e===`cannot_compare`||t===null?{change:``,words:n}:{change:`${t<0?`−`:t>0?`+`:``}${N(Math.abs(t))}`,words:e===`same`?`same`:e}}function Vs({times:e,prediction:t,scaling:n}){if(!e)return[];let r=`Differences up to ${M(Math.max(e.noise_ns,e.drift_ns))} do not count.`;return[t?`Projected: ${M(e.base_ns-t.promised_ns)}. ${t.sentence}`:``,n?.sentence??``,r].filter(Boolean)}function Hs(e){try{let t=JSON.parse(e??`[]`);return Array.isArray(t)?t.filter(e=>typeof e==`string`).slice(0,2):[]}catch{return[]}}function Us(e,t){let n=Hs(e),r=n.includes(t)?n.filter(e=>e!==t):[...n,t].slice(-2);return r.length>0?JSON.stringify(r):null}function Ws(e,t,n){let r=e=>e===t?1/0:n.findIndex(t=>t.name===e);return[...e].sort((e,t)=>r(t)-r(e))}var Gs=18,Ks=3,qs=4;function Js({lengths:e,steps_count:t,p50_ns:n}){let r=Math.max(...e.map(({ns:e})=>e),1),i=`${L(t,`step`)}${n===null?``:`, half of them within ${M(n)}`}`;return V(`svg`,{width:Math.max(e.length*qs,1),height:Gs,role:`img`,"aria-label":i},...e.map(({ns:e,judged:t,outlier:n},i)=>{let a=Math.max(Gs*e/r,1);return V(`rect`,{class:n?`outlier`:t?`judged`:`partial`,x:i*qs,y:Gs-a,width:Ks,height:a})}))}var Ys=class extends D{constructor(...e){super(...e),this.comparison=null,this.problem=``,this.waiting=``,this.loading=new AbortController}static{this.styles=E`
    :host {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      display: block;
      margin-top: 12px;
      padding: 12px 16px;
    }
    header {
      align-items: baseline;
      display: flex;
      gap: 16px;
      justify-content: space-between;
    }
    h2 {
      font-size: 14px;
      min-width: 0;
    }
    .better {
      color: var(--good);
      font-weight: 600;
    }
    .worse {
      color: var(--critical);
      font-weight: 600;
    }
    #chart {
      display: grid;
      gap: 6px 12px;
      grid-template-columns: minmax(80px, 220px) 1fr 76px;
      margin-top: 8px;
      position: relative;
    }
    #chart .name {
      grid-column: 1;
      font-size: 13px;
      line-height: 20px;
    }
    .axis {
      color: var(--ink-2);
      font-size: 12px;
      grid-column: 2;
      height: 16px;
      position: relative;
    }
    .axis span {
      position: absolute;
      transform: translateX(-50%);
      white-space: nowrap;
    }
    .axis span:first-child {
      transform: none;
    }
    #chart > b {
      font-variant-numeric: tabular-nums;
      font-weight: 600;
      text-align: right;
    }
  `}static{this.properties={backend:Object,base:String,run:String,comparison:Object,problem:String,waiting:String}}disconnectedCallback(){super.disconnectedCallback(),this.loading.abort()}changed(e){(`base`in e||`run`in e)&&this.load()}template(){let{comparison:e,base:t,run:n}=this,r=e?.verdict===`cannot_compare`?e.reasons:[];return x`
      <header>
        <h2><span class="name">${n}</span> against <span class="name">${t}</span></h2>
        <button class="button" @click=${()=>O(this,`board-change`,{pair:null})}>Close</button>
      </header>
      <div role="status">
        ${this.waiting?x`<p class="note">${this.waiting}</p>`:S}
        ${this.problem?x`<p class="name">${this.problem}</p>`:S}
        ${e?x`<p class="name"><span class=${e.verdict}>${e.sentence}</span></p>
                ${[...r,...Vs(e)].map(e=>x`<p class="note name">${e}</p>`)}`:S}
      </div>
      <div id="chart" ?hidden=${!e?.accounts.length}></div>
      <ul id="legend" class="legend" aria-label="Colors" ?hidden=${!e?.accounts.length}></ul>
    `}drawn(e){`comparison`in e&&this.comparison?.times&&this.draw(this.comparison)}draw(e){let t=os(e),n=ss(t),r=Math.max(...n.map(({total:e})=>e),1),i=this.child(`chart`);i.replaceChildren();let a=new k(i),o=document.createElement(`div`);o.className=`axis`,o.setAttribute(`aria-hidden`,`true`),o.append(...T(r).map(e=>{let t=document.createElement(`span`);return t.style.left=`${100*e/r}%`,t.textContent=M(e),t})),i.append(o);let s=e.scaling?n.map(({name:e})=>e):[this.base,this.run];n.forEach(({total:e,parts:t},n)=>{let o=document.createElement(`span`);o.className=`name`,o.textContent=s[n]??``;let c=t.map(t=>`${t.look.words}, ${M(t.ns)}, ${N(t.ns/e)}`),{drawing:l,segments:u}=is(t,r,`${s[n]}, ${M(e)}: ${c.join(`; `)}`);a.explain(l,u,c);let d=document.createElement(`b`);d.textContent=M(e),i.append(o,l,d)});let c=cs(t.accounts).filter(e=>e.id&&Math.max(e.base_ns,e.new_ns)>=r/200);this.child(`legend`).replaceChildren(...c.map(({id:e,words:t})=>H(w(e),t)))}async load(){this.loading.abort(),this.loading=new AbortController;let{signal:e}=this.loading;this.comparison=null,this.problem=``,this.waiting=`Comparing …`;let t=({share:t})=>{e.aborted||(this.waiting=`Analyzing both runs, ${N(t)} done …`)};try{let n=await this.backend.compare(this.base,this.run,t,e);e.aborted||(this.comparison=n)}catch(t){e.aborted||(this.problem=t instanceof Error?t.message:String(t))}e.aborted||(this.waiting=``)}};customElements.define(`tfperf-pair`,Ys);var Xs=50,Zs=700,Qs={sort:null,filter:null,only:null,row:null,pair:null},$s=class extends D{constructor(...e){super(...e),this.runs=[],this.base=null,this.state=Qs,this.round=0,this.on=!1,this.rows=new Map,this.shown=Xs,this.problem=``,this.inView=new Set,this.sights=new IntersectionObserver(e=>{for(let{target:t,isIntersecting:n}of e)this.inView[n?`add`:`delete`](t);this.askSoon()}),this.asking=null,this.timer=0,this.onKey=e=>this.key(e)}static{this.styles=E`
    :host {
      display: block;
      padding-top: 16px;
    }
    h1 {
      display: inline-block;
      font-size: 18px;
      margin-right: 12px;
    }
    .tools {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
      margin-top: 12px;
    }
    input[type='search'] {
      background: var(--panel);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      padding: 5px 10px;
      width: 250px;
    }
    .button[aria-pressed='true'] {
      background: var(--info-ground);
      border-color: var(--accent);
    }
    .scroll {
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 12px;
      max-height: none;
      padding: 0 12px;
    }
    th,
    td {
      padding: 6px 14px 6px 0;
      vertical-align: middle;
      white-space: nowrap;
    }
    th button {
      color: inherit;
      white-space: nowrap;
    }
    th[aria-sort] {
      color: var(--ink);
      font-weight: 600;
    }
    tr:last-child td {
      border-bottom: 0;
    }
    tr.pinned td:first-child {
      box-shadow: inset 3px 0 var(--accent);
    }
    tbody tr:focus-within td {
      background: var(--ground);
    }
    td.run {
      max-width: 320px;
      min-width: 150px;
      overflow-wrap: anywhere;
      white-space: normal;
    }
    /* Long names end after three lines; the title has all of them. */
    td.run a,
    td.finding div {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 3;
      display: -webkit-box;
      overflow: hidden;
    }
    td.gpus {
      max-width: 150px;
      overflow: hidden;
      text-overflow: ellipsis;
    }
    td.run a {
      font-weight: 500;
      text-decoration: none;
    }
    td.run a:hover {
      text-decoration: underline;
    }
    td.text {
      max-width: 260px;
      overflow-wrap: anywhere;
      white-space: normal;
    }
    .pin {
      color: var(--accent);
      font-size: 16px;
      line-height: 20px;
      height: 24px;
      line-height: 24px;
      text-align: center;
      width: 28px;
    }
    .choose {
      padding-left: 8px;
      width: 76px;
    }
    .choose input {
      accent-color: var(--accent);
      height: 24px;
      margin: 0;
      vertical-align: top;
      width: 24px;
    }
    .quiet {
      color: var(--ink-2);
    }
    svg {
      display: block;
    }
    rect.judged {
      fill: var(--control-line);
    }
    rect.partial {
      fill: var(--account-unknown);
    }
    rect.outlier {
      fill: var(--critical);
    }
    .critical {
      color: var(--critical);
    }
    .warning {
      color: var(--warning);
    }
    .info {
      color: var(--info);
    }
    .good {
      color: var(--good);
      font-weight: 600;
    }
    .worse {
      color: var(--critical);
      font-weight: 600;
    }
    .share {
      background: var(--line);
      border-radius: 2px;
      display: inline-block;
      height: 6px;
      margin-left: 6px;
      overflow: hidden;
      vertical-align: middle;
      width: 30px;
    }
    .share i {
      background: var(--accent);
      display: block;
      height: 100%;
    }
    .level {
      border-radius: 10px;
      font-size: 12.5px;
      font-weight: 600;
      padding: 1px 9px;
    }
    .level.strong {
      color: var(--good);
    }
    .level.thin {
      background: var(--warning-ground);
      color: var(--warning);
    }
    .level.none {
      background: var(--critical-ground);
      color: var(--critical);
    }
    progress {
      accent-color: var(--accent);
      margin-right: 8px;
      vertical-align: middle;
      width: 120px;
    }
    kbd {
      border: 1px solid var(--line);
      border-radius: 4px;
      font: inherit;
      padding: 0 4px;
    }
    footer {
      margin: 10px 0 0;
    }
    @media (max-width: 1500px) {
      .active {
        display: none;
      }
    }
    @media (max-width: 1300px) {
      .recorded,
      .exposed {
        display: none;
      }
    }
    @media (max-width: 1120px) {
      .each,
      .gpus,
      .compute {
        display: none;
      }
    }
  `}static{this.properties={backend:Object,runs:Array,base:String,state:Object,round:Number,on:Boolean,rows:Object,shown:Number,problem:String}}connectedCallback(){super.connectedCallback(),document.addEventListener(`keydown`,this.onKey)}disconnectedCallback(){super.disconnectedCallback(),document.removeEventListener(`keydown`,this.onKey),this.sights.disconnect(),clearTimeout(this.timer),this.asking?.abort()}changed(e){if(`round`in e&&(this.rows=new Map([...this.rows].filter(([,{error:e}])=>!e))),`base`in e&&(this.rows=new Map([...this.rows].map(([e,t])=>[e,{...t,against:null}]))),`state`in e){let e=this.state.row===null?-1:this.names.indexOf(this.state.row);this.shown=Math.max(this.shown,e+1)}}get names(){return js(this.runs,this.rows,this.state)}template(){let{runs:e,state:t,base:n}=this,r=this.names,i=r.slice(0,this.shown),a=r.length-i.length,o=Ws(Hs(t.pair).filter(t=>e.some(e=>e.name===t)),n,e),s=[...this.rows.values()];return x`
      <h1>Runs</h1>
      <span class="note">${L(e.length,`profile`)} in this log directory</span>
      <div class="tools">
        <input
          type="search"
          aria-label="Filter runs"
          placeholder="Filter by name, GPU, finding   /"
          .value=${t.filter??``}
          @keydown=${e=>{[`ArrowDown`,`Enter`].includes(e.key)&&this.links()[0]?.focus()}}
          @input=${e=>this.set({filter:e.target.value||null})}
        />
        ${Os.filter(({id:e})=>e!==`comparable`||n!==null).map(({id:e,words:n,is:r})=>x`
            <button
              class="button"
              aria-pressed=${t.only===e}
              @click=${()=>this.set({only:t.only===e?null:e})}
            >
              ${n} ${s.filter(r).length}
            </button>
          `)}
      </div>
      <p class="name critical" role="status">${this.problem}</p>
      ${o.length===2?x`<tfperf-pair .backend=${this.backend} .base=${o[0]} .run=${o[1]}></tfperf-pair>`:S}
      <div class="scroll" role="region" aria-label="Runs" tabindex="0">
        <table>
          <thead>
            <tr>
              <th><span class="unseen">Baseline and selection</span></th>
              ${Ds.map(e=>this.head(e))}
            </tr>
          </thead>
          <tbody>
            ${i.map(e=>this.line(e,o))}
          </tbody>
        </table>
      </div>
      <footer class="note">
        ${L(i.length,`run`)} of ${r.length} shown
        ${a>0?x`·
                <button class="button" @click=${()=>this.shown+=Xs}>Show ${Math.min(a,Xs)} more</button>`:S}
        · Reports are made as rows come into view, and kept. <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Enter</kbd> open ·
        <kbd>p</kbd> pin as baseline · <kbd>Space</kbd> select two to compare · <kbd>/</kbd> filter
      </footer>
    `}head(e){let t=ks(this.state.sort)??ks(`recorded`),n=t?.column===e;return x`<th
      class="${e.id} ${e.kind??``}"
      aria-sort=${n?t.falling?`descending`:`ascending`:S}
    >
      <button class="bare" @click=${()=>this.set({sort:As(this.state.sort??`recorded`,e.id)})}>
        ${e.head}${n?t.falling?` ↓`:` ↑`:``}
      </button>
    </th>`}line(e,t){let n=this.rows.get(e),r=e===this.base,i=Hs(this.state.pair).includes(e)||t.includes(e);return x`<tr class=${r?`pinned`:``} .name=${e} @focusin=${()=>this.focused(e)}>
      <td class="choose">
        <input
          type="checkbox"
          aria-label="Compare ${e}"
          .checked=${i}
          @click=${()=>this.set({pair:Us(this.state.pair,e)})}
        /><button class="bare pin" aria-pressed=${r} aria-label="Baseline ${e}" @click=${()=>this.pin(e)}>
          ${r?`★`:`☆`}
        </button>
      </td>
      <td class="run name">
        <a href="#" title=${e} @click=${t=>this.open(t,e)}>${e}</a>
      </td>
      ${this.cells(n)}
    </tr>`}cells(e){let t=e?.outline;if(!t){let t=e?.error||(e?.share==null?`Waiting …`:`${N(e.share)} analyzed`),n=e?.error?t:x`<span class="quiet">${t}</span>`,r=x`<progress max="1" .value=${e?.share??0} aria-label="Share of the analysis"></progress>`;return x`<td class="recorded quiet">${e?.recorded.slice(0,10)}</td>
        <td class="name text" colspan="10">${e?.share==null||e.error?S:r}${n}</td>`}let{p50_ns:n,p95_ns:r,recoverable_ns:i,step_ns:a,evidence:o}=t,s=e=>e===null?`–`:N(e);return x`
      <td class="recorded quiet" title=${e.recorded}>${e.recorded.slice(0,10)||`–`}</td>
      <td class="gpus" title=${En({kinds:t.gpus})}>${Rs(t)}</td>
      <td class="number step">
        ${n===null?`–`:M(n)}
        <span class="quiet">${r===null?S:`p95 ${M(r)}`}</span>
      </td>
      <td class="each">${t.lengths.length>0?Js(t):`–`}</td>
      <td class="number compute">${s(t.compute_ratio)}</td>
      <td class="number active">${s(t.active_ratio)}</td>
      <td class="number exposed">${t.exposed_ns===null?`–`:M(t.exposed_ns)}</td>
      <td class="finding name text" title=${t.finding?.title??``}><div>${rc(t)}</div></td>
      <td class="recoverable">
        ${i===null?`–`:x`${i===0?`0`:M(i)}<span
                  class="share"
                  title="${N(a?i/a:0)} of the step"
                  ><i style="width: ${a?Math.min(100,100*i/a):0}%"></i
                ></span>`}
      </td>
      <td class="against" title=${e.against?.sentence??``}>${this.againstCell(e)}</td>
      <td class="evidence" title=${t.lacks.join(` `)}>
        ${o===null?`–`:x`<span class="level ${o}">${zs[o]}</span>`}
      </td>
    `}againstCell({against:e}){if(this.base===null||!e)return``;let{change:t,words:n}=Bs(e);return x`<span class=${{better:`good`,worse:`worse`}[e.verdict]??``}>${t}</span> <span class="quiet">${n}</span>`}drawn(e){let t=[...this.shadowRoot.querySelectorAll(`tbody tr`)];for(let e of this.inView)t.includes(e)||this.inView.delete(e);for(let e of t)this.sights.observe(e);let n=this.shadowRoot.activeElement;n?.matches(`td.run a`)&&nc(n)!==this.state.row&&this.link(this.state.row)?.focus(),`on`in e&&this.on&&this.link(this.state.row)?.focus(),this.askSoon()}link(e){return this.links().find(t=>nc(t)===e)}links(){return[...this.shadowRoot.querySelectorAll(`td.run a`)]}set(e){O(this,`board-change`,e)}focused(e){this.state.row!==e&&this.set({row:e})}open(e,t){e.preventDefault(),this.focused(t),O(this,`run-change`,{run:t})}pin(e){O(this,`base-change`,{base:this.base===e?null:e})}key(e){if(!this.on||!ws(e))return;let t=this.links(),n=this.shadowRoot.activeElement,r=t.findIndex(e=>nc(e)===this.state.row),i=r<0?null:this.state.row,a={ArrowUp:-1,ArrowDown:1}[e.key],o=t[r<0?0:n?.matches(`td.run a`)?Math.max(r+(a??0),0):r];if(a!==void 0&&o)o.focus();else if(e.key===`/`)this.shadowRoot.querySelector(`input`)?.focus();else if(e.key===`p`&&i!==null)this.pin(i);else if(e.key===` `&&i!==null&&n?.matches(`td.run a`))this.set({pair:Us(this.state.pair,i)});else return;e.preventDefault()}askSoon(){this.on&&!this.asking&&(clearTimeout(this.timer),this.timer=window.setTimeout(()=>void this.ask()))}async ask(){let{base:e}=this,t=[...this.inView].map(nc).filter(t=>Ns(this.rows.get(t),e));if(t.length===0||this.asking||!this.on)return;let n=Is(t),r=this.asking=new AbortController,i=Zs;try{let{rows:t,done:a}=await this.backend.board(n,e,r.signal);if(r.signal.aborted)return;a&&(i=0);let o=t.map(t=>a&&e!==null&&!t.against?{...t,against:ec}:t),s=n.filter(e=>!t.some(({run:t})=>t===e)).map(e=>({...tc,run:e}));if(this.base===e){let e=[...o,...s].map(e=>[e.run,e]);this.rows=new Map([...this.rows,...e])}this.problem=``}catch(e){if(r.signal.aborted)return;this.problem=e instanceof Error?e.message:String(e),i=10*Zs}finally{this.asking=null}clearTimeout(this.timer),this.timer=window.setTimeout(()=>void this.ask(),i)}},ec={verdict:`cannot_compare`,change:null,why:`–`,sentence:``},tc={recorded:``,outline:null,against:null,stage:``,share:null,error:`This run is not in the log directory any more.`};function nc(e){return e.closest(`tr`)?.name??``}function rc({finding:e,settled:t,evidence:n}){if(t)return x`<span class="good">✓ Nothing to fix</span>`;if(n===`none`)return x`<span class="critical">No GPU events recorded</span>`;if(!e)return x`<span class="quiet">No finding</span>`;let{severity:r,title:i,others:a}=e;return x`<span class=${r} role="img" aria-label=${r}>${dn[r]}</span> ${i}
    <span class="quiet">${a>0?`+${a}`:``}</span>`}customElements.define(`tfperf-board`,$s);var ic={not_found:`This run is not there`,bad_request:`This cannot be asked`,unreadable:`This profile cannot be read`,not_judgeable:`This profile cannot be judged`,cancelled:`The analysis was stopped`,busy:`Too many analyses at once`,internal:`The analysis failed`,unreachable:`No answer`},ac={not_found:`Go back to Runs and choose another one, or look again if it has just been written.`,bad_request:`Try again without what was typed in or held by the address.`,unreadable:`If it is still being written, try again when that is done. Other runs stay usable.`,not_judgeable:`Record it again with GPU and host tracing on, or go back to Runs and choose another one.`,cancelled:`Nothing was kept of it.`,busy:`Wait until some of them are done or canceled, then try again. Reports that are done can be opened meanwhile.`,internal:`Other runs stay usable. The log of TensorBoard holds the details; please report them.`,unreachable:`Start TensorBoard again, then try once more.`},oc=class extends D{static{this.styles=E`
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
  `}static{this.properties={error:Object}}template(){let{kind:e,message:t}=this.error;return x`
      <section role="alert">
        <h1>${ic[e]}</h1>
        <p class="name">${t}</p>
        <p>${ac[e]}</p>
      </section>
      <button class="button" @click=${()=>O(this,`retry`)}>
        ${e===`cancelled`?`Analyse`:`Try again`}
      </button>
    `}};customElements.define(`tfperf-failure`,oc);var sc=8,cc=96,lc=16;function uc(e,t){let n=Math.max(1,...e.map(({own_ns:e,others_ns:t})=>Math.max(e,t??0))),r=e=>sc+cc*(1-e/n),i=100/Math.max(e.length,1),a=e=>`${((e+.5)*i).toFixed(4)}%`,o=e.map(({own_ns:e},t)=>V(`g`,{},V(`rect`,{x:`${(t*i).toFixed(4)}%`,y:sc,width:`${i.toFixed(4)}%`,height:cc,class:`slot`}),V(`circle`,{cx:a(t),cy:r(e),r:3,class:`own-point`}))),s=(e,t)=>e.flatMap((n,i)=>{let o=e[i+1];return n===null||o==null?[]:[V(`line`,{x1:a(i),x2:a(i+1),y1:r(n),y2:r(o),class:t})]}),c=e.length<=lc?e.keys():[0,e.length-1];return{drawing:V(`svg`,{width:`100%`,height:126,role:`img`,"aria-label":t},...T(n).map(e=>V(`g`,{},V(`line`,{x1:0,x2:`100%`,y1:r(e),y2:r(e),class:`grid`}),V(`text`,{x:0,dx:-8,y:r(e)+4,class:`tick end`},e===0?`0`:M(e)))),...s(e.map(e=>e.others_ns),`others`),...s(e.map(e=>e.own_ns),`own`),...o,V(`text`,{x:0,dx:-8,y:120,class:`tick end`},`step`),...[...c].map(t=>V(`text`,{x:a(t),y:120,class:`tick`},String(e[t]?.step)))),groups:o}}function dc(e){return[...e].sort((e,t)=>Number(t.slow)-Number(e.slow))}function fc({own_ns:e,compute_ns:t,wait_ns:n}){let r=Math.min(t,e);return[{look:w(`compute`),ns:r},{look:{words:`other time of its own`,colour:`--account-unknown`,pattern:`dots`},ns:e-r},{look:w(`communication.wait`),ns:n}].filter(({ns:e})=>e>0)}function pc(e){return[`${e.host}${e.slow?` (slow)`:``}: ${M(e.own_ns)} of its own in a step`,`${M(e.compute_ns)} of it compute`,`${M(e.wait_ns)} waiting for others`,e.late_ns===null?``:`arrives ${M(e.late_ns)} after the first host`].filter(Boolean).join(`, `)}var mc=3,hc=4;function gc(e){let t=e.filter(e=>e.slow),n=e.map(({own_ns:e})=>e);if(t.length===0){let t=`A host’s own part of a step takes ${M(Math.min(...n))} to ${M(Math.max(...n))}.`;return e.length<mc?`${t} With fewer than three hosts none can be told to be the slow one.`:`${t} No host is slow.`}let r=t.slice(0,hc).map(({host:e})=>e),i=t.length>hc?[`${F(t.length-hc)} more`]:[],a=t.map(({late_ns:e})=>e).filter(e=>e!==null),o=e.filter(e=>!e.slow).map(({own_ns:e})=>e);return[`${_c([...r,...i])} ${t.length===1?`is`:`are`} slow`,a.length>0?`: ${M(bc(a))} behind the first host at AllReduce. The`:`: the`,` own part of a step takes ${M(bc(t.map(({own_ns:e})=>e)))}`,o.length>0?`, against ${M(bc(o))} on the others (median).`:`.`].join(``)}function _c(e){return e.length<2?e.join(``):`${e.slice(0,-1).join(`, `)} and ${e.at(-1)}`}function vc(e,t){let n=new Map;for(let r of t)if(r!==e)for(let{step:e,own_ns:t}of r.steps)n.set(e,[...n.get(e)??[],t]);return e.steps.map(({step:e,own_ns:t})=>{let r=n.get(e);return{step:e,own_ns:t,others_ns:r?bc(r):null}})}function yc({step:e,own_ns:t,others_ns:n}){return`Step ${e}: ${M(t)}, others ${n===null?`not recorded`:M(n)}`}function bc(e){let t=[...e].sort((e,t)=>e-t),n=t.length/2;return((t[Math.ceil(n)-1]??0)+(t[Math.floor(n)]??0))/2}function xc({clock_source:e}){return{collectives:`ends of collectives`,"wall clock":`wall clocks`,"same host":`the same clock`,unknown:`not known: clocks could not be aligned`}[e]}var Sc=16,Cc=64,X=e=>e===null?`not known`:M(e),wc=[{head:`Host`,cell:({host:e,slow:t})=>`${e}${t?` (slow)`:``}`,kind:`name`},{head:`GPUs`,cell:e=>F(e.gpus_count),kind:`number`},{head:`Steps`,cell:e=>F(e.steps_count),kind:`number`},{head:`Step`,cell:e=>X(e.step_ns),kind:`number`},{head:`Own`,cell:e=>X(e.own_ns),kind:`number`},{head:`Compute`,cell:e=>X(e.compute_ns),kind:`number`},{head:`Waits for input`,cell:e=>X(e.input_ns),kind:`number`},{head:`Waits for others`,cell:e=>X(e.wait_ns),kind:`number`},{head:`Arrives late by`,cell:e=>X(e.late_ns),kind:`number`},{head:`Clock off by`,cell:e=>X(e.clock_offset_ns),kind:`number`},{head:`Known to ±`,cell:e=>X(e.clock_uncertainty_ns),kind:`number`},{head:`Aligned by`,cell:xc}],Tc=`“Own”: the step without waiting in AllReduce. “Arrives late by”: after the first host, at the AllReduce calls that join hosts; median. “Clock off by”: against the clock of the first host, found by what “Aligned by” names: all GPUs leave an AllReduce together.`,Ec=[{head:`Step`,cell:({step:e})=>String(e)},{head:`Own`,cell:({own_ns:e})=>X(e),kind:`number`},{head:`Median of the others`,cell:({others_ns:e})=>X(e),kind:`number`}],Dc=class extends D{constructor(...e){super(...e),this.hosts=[],this.picked=null,this.onlySlow=!1,this.chosen=null,this.points=[],this.drawing={}}static{this.styles=E`
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
  `}static{this.properties={hosts:Array,picked:Object,onlySlow:Boolean}}changed(e){if(`hosts`in e)this.onlySlow=!1,this.picked=null;else if(!(`picked`in e))return;let{hosts:t}=this,[n]=[...t].sort((e,t)=>t.own_ns-e.own_ns);this.chosen=this.picked??dc(t).find(({slow:e})=>e)??n??null,this.points=this.chosen?vc(this.chosen,t):[]}template(){let{hosts:e,points:t}=this,n=e.filter(e=>e.slow).length,r=Math.max(0,...e.map(({steps_count:e})=>e)),i=this.chosen?.host;return x`
      <h2>
        <tfperf-term word="Hosts"></tfperf-term>
        <small
          >${L(e.length,`host`)}, average of the ${L(r,`step`)} that all of them recorded
          whole</small
        >
      </h2>
      <p class="name">${e.length>0?gc(e):``}</p>
      <button
        class="button only"
        ?hidden=${e.length<=Sc||n===0}
        aria-pressed=${this.onlySlow}
        @click=${this.onOnly}
      >
        Only slow hosts (${F(n)})
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
          .columns=${wc}
          .items=${e}
          note=${Tc}
        ></tfperf-table>
        <tfperf-table
          panel="hosts"
          .heading="Each step of ${i}"
          .columns=${Ec}
          .items=${t}
        ></tfperf-table>
      </div>
    `}drawn(e){`hosts`in e&&this.drawLegend(),(`hosts`in e||`onlySlow`in e)&&this.drawRows(),(`hosts`in e||`picked`in e)&&this.drawSteps(),this.markChosen()}onOnly(){this.onlySlow=!this.onlySlow}drawLegend(){let e=new Map(this.hosts.flatMap(fc).map(({look:e})=>[e.words,e]));this.child(`legend`).replaceChildren(...[...e.values()].map(e=>H(e,e.colour===w(`communication.wait`).colour?`waiting for other hosts and GPUs`:e.words)))}drawRows(){this.tip??=new k(this.child(`chart`)),this.tip.hide();let e=dc(this.hosts).filter(({slow:e})=>e||!this.onlySlow),t=Math.max(1,...this.hosts.map(({own_ns:e,wait_ns:t})=>e+t));this.child(`rows`).classList.toggle(`many`,e.length>Sc),this.child(`rows`).replaceChildren(...e.slice(0,Cc).map(e=>this.row(e,t)));let n=this.drawing={};e.length>Cc&&requestAnimationFrame(()=>setTimeout(()=>{this.drawing===n&&(this.child(`rows`).append(...e.slice(Cc).map(e=>this.row(e,t))),this.markChosen())},100))}row(e,t){let n=pc(e),{drawing:r}=is(fc(e),t,n,12),i=document.createElement(`li`),a=document.createElement(`button`);return a.className=`bare`,a.dataset.host=e.host,a.append(Oc(`host`,e.host)),e.slow&&a.append(Oc(`slow`,`▲ slow`)),a.addEventListener(`click`,()=>this.picked=e),a.addEventListener(`focus`,()=>this.tip?.show(i,n)),a.addEventListener(`blur`,()=>this.tip?.hide()),i.addEventListener(`pointerenter`,()=>this.tip?.show(i,n)),i.addEventListener(`pointerleave`,()=>this.tip?.hide()),i.append(a,r,Oc(`total`,M(e.own_ns))),i}drawSteps(){let{chosen:e,points:t}=this;if(!e||t.length===0)return;let n=t.map(yc),r=this.child(`steps`),{drawing:i,groups:a}=uc(t,`Own time of ${e.host} and the median of the other hosts: ${n.join(`; `)}`);r.replaceChildren(i),new k(r).explain(i,a,n)}markChosen(){for(let e of this.child(`rows`).querySelectorAll(`button`))e.setAttribute(`aria-pressed`,String(e.dataset.host===this.chosen?.host))}};function Oc(e,t){let n=document.createElement(`span`);return n.className=e,n.textContent=t,n}customElements.define(`tfperf-hosts`,Dc);function kc({iterators:e,pipelines:t}){let n=t[0];return n?n.iterators.flatMap(t=>e[t]??[]):e}function Ac(e){let t=new Set(kc(e));return e.iterators.filter(e=>!t.has(e))}function jc(e){let t=e.find(({stage:e})=>e===`transfer`);return e.map(e=>[e,t&&e.pipeline!==t.pipeline?t.depth+1+e.depth:e.depth])}function Z(e,t){return{head:e,cell:t,kind:`number`}}var Mc=[Z(`Works per batch`,e=>M(e.batch_ns)),Z(`Of the wait`,e=>N(e.wait_ratio)),Z(`At once`,zc),Z(`Ready`,Bc),Z(`Calls`,e=>F(e.calls_count)),Z(`Above 50 µs`,e=>F(e.slow_calls_count)),Z(`Own`,e=>M(e.self_ns)),Z(`Total`,e=>M(e.total_ns)),Z(`Element`,e=>e.element_bytes===null?``:P(e.element_bytes))],Nc=[{head:`Host`,cell:({host:e})=>e,kind:`name`},{head:`Iterator`,cell:({name:e})=>e,kind:`name`},{head:`Does`,cell:({stage:e})=>e},...Mc],Pc=class extends D{constructor(...e){super(...e),this.input=null}static{this.styles=E`
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
  `}static{this.properties={input:Object}}template(){let{input:e}=this,t=e?kc(e):[],n=e?Ac(e):[];return x`
      <h2>Input pipeline <small class="name">${Fc(e)}</small></h2>
      <p class="name">${e?.sentence}</p>
      <div
        id="tree"
        class="scroll"
        tabindex="0"
        role="group"
        aria-label="Stages of the input pipeline, from the step to the files"
      >
        ${t.length>0?Lc(t):S}
      </div>
      <ul class="legend" ?hidden=${!e?.critical_path.length}>
        <li><i></i>on the critical path of the slowest request</li>
      </ul>
      <tfperf-table
        panel="input"
        .heading="Other pipelines: ${L(n.length,`iterator`)}"
        .columns=${Nc}
        .items=${n}
      ></tfperf-table>
    `}};function Fc(e){let t=e?.pipelines[0];if(!t)return``;let n=new Set(e.iterators.map(({host:e})=>e)),r=t.batch_bytes===null?[]:[`${P(t.batch_bytes)} a batch`];return[...n.size>1?[t.host]:[],...r,`slowest request ${M(t.slowest_ns)}`].join(` · `)}var Ic=[{head:`Stage`,kind:`stage`},{head:`Does`},...Mc];function Lc(e){return x`<table>
    <thead>
      <tr>
        ${Ic.map(({head:e,kind:t})=>x`<th scope="col" class=${t??``}>${Ur(e,`input`)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${jc(e).map(([e,t])=>x` <tr class="${e.on_critical_path?`path`:``} ${e.is_bottleneck?`bottleneck`:``}">
            <td class="stage" style="padding-left: ${10+12*Math.min(t,12)}px" title=${e.name}>
              <span class="unseen">level ${t+1}${e.on_critical_path?`, on the critical path`:``}: </span
              ><span class="code">${e.written}</span
              >${e.is_bottleneck?x`<span class="badge">bottleneck</span>`:S}
            </td>
            <td>${Rc(e)}</td>
            ${Mc.map(({cell:t})=>x`<td class="number">${t(e,0)}</td>`)}
          </tr>`)}
    </tbody>
  </table>`}function Rc({stage:e,filtered_ratio:t}){return t?`${e}, drops ${N(t)}`:e}function zc({at_once:e,parallelism:t,autotune:n}){let r=t===null?F(e):`${F(e)} of ${F(t)}`;return n&&t!==null?`${r}, tuned`:r}function Bc({buffered_elements:e,buffer_limit:t}){return e===null?t===null?``:`of ${F(t)}`:t===null?F(e):`${F(e)} of ${F(t)}`}customElements.define(`tfperf-input`,Pc);var Vc=18,Hc=130,Uc=1e3,Wc=6;function Gc(e,t){let{at_ms:n,used_bytes:r}=e.points,i=e=>e/Math.max(r.length,1),a=t=>Vc+Hc*(1-t/e.capacity_bytes),o=r.map((e,t)=>`${t===0?`M`:`H`}${(i(t)*Uc).toFixed(2)}${t===0?` `:`V`}${a(e).toFixed(2)}`).join(``),s=V(`svg`,{width:`100%`,height:148,viewBox:`0 0 ${Uc} 148`,preserveAspectRatio:`none`},V(`path`,{d:`${o}H${Uc}V148H0Z`,class:`area`}),V(`path`,{d:`${o}H${Uc}`,class:`line`,"vector-effect":`non-scaling-stroke`})),c=e=>`${(100*e).toFixed(3)}%`,l=r.map((e,t)=>V(`g`,{},V(`rect`,{x:c(i(t)),y:Vc,width:c(i(1)),height:Hc,class:`slot`}),V(`circle`,{cx:c(i(t)),cy:a(e),r:3,class:`point`}))),u=i(Math.max(0,r.indexOf(e.recorded_peak_bytes))),d=a(e.before_bytes),f=r.length<Wc?r.keys():Array.from({length:Wc},(e,t)=>Math.floor(t*r.length/Wc));return{drawing:V(`svg`,{width:`100%`,height:170,role:`img`,"aria-label":t},...T(e.capacity_bytes).map(e=>V(`g`,{},V(`line`,{x1:0,x2:`100%`,y1:a(e),y2:a(e),class:`grid`}),V(`text`,{x:0,dx:-8,y:a(e)+4,class:`tick end`},e===0?`0`:P(e)))),s,...e.before_bytes>0?[V(`line`,{x1:0,x2:`100%`,y1:d,y2:d,class:`before`})]:[],V(`line`,{x1:0,x2:`100%`,y1:Vc,y2:Vc,class:`capacity`}),V(`text`,{x:`100%`,y:12,class:`tick end`},`capacity ${P(e.capacity_bytes)}`),V(`circle`,{cx:c(u),cy:a(e.recorded_peak_bytes),r:4,class:`peak`}),V(`text`,{x:c(u),dx:u>.5?-8:8,y:Math.max(30,a(e.recorded_peak_bytes)-6),class:u>.5?`mark end`:`mark`},`peak ${P(e.recorded_peak_bytes)}`),...l,...[...f].map(e=>V(`text`,{x:c(i(e)),y:164,class:`tick start`},_n(n[e]??0)))),groups:l}}var Kc=10;function qc({batch_growth:e},t,n){let r=N(t.peak_bytes/t.capacity_bytes),i=t.peak_bytes>t.recorded_peak_bytes?` (before the recording; during it ${P(t.recorded_peak_bytes)})`:``,a=`${R(t.device)} uses ${P(t.peak_bytes)} of ${P(t.capacity_bytes)} at the peak, ${r}${i}.`,[o]=t.alive,s=o?` Of what was allocated since then, ${br(o.op||`an op that is not named`)} holds the most: ${P(o.size_bytes)}.`:``,c=` ${P(t.before_bytes)} were there before the recording, as weights and optimizer state are.`;return!n||e===null||e<=1?a+c+s:`${a}${c}${s} By proportion a batch ${e>Kc?`more than ${Kc} times`:I(e,`times`).replace(`×`,`times`)} as large fits, with a tenth left free; convergence may change.`}function Jc(e){let t=e.capacity_bytes-e.recorded_peak_bytes;return`${e.fragmentation_ratio===null||e.free_block_bytes===null?`How broken up the free memory is was not recorded.`:`Of the ${P(t)} free at the recorded peak, ${P(e.free_block_bytes)} are in one piece (fragmentation ${N(e.fragmentation_ratio)}).`}${{address:``,order:` Blocks are matched by size and order: addresses were not recorded.`,none:` What is alive cannot be told: sizes were not recorded.`}[e.matched]}`}function Yc({points:{at_ms:e,used_bytes:t}}){return t.map((t,n)=>`${P(t)} in use at ${_n(e[n]??0)}`)}var Xc=[{head:`Op`,cell:({op:e})=>e||`not named`,kind:`name`,value:({op:e})=>e},{head:`In use`,cell:({size_bytes:e})=>P(e),kind:`number`,value:({size_bytes:e})=>e},{head:`Blocks`,cell:({count:e})=>e>0?F(e):``,kind:`number`,value:({count:e})=>e}],Zc=[{head:`GPU`,cell:({host:e,device:t})=>`${e} ${R(t)}`,kind:`name`,value:({host:e,device:t})=>`${e} ${t}`},{head:`Peak`,cell:({peak_bytes:e})=>P(e),kind:`number`,value:({peak_bytes:e})=>e},{head:`Capacity`,cell:({capacity_bytes:e})=>P(e),kind:`number`,value:({capacity_bytes:e})=>e},{head:`Share`,cell:e=>N(e.peak_bytes/e.capacity_bytes),kind:`number`,value:e=>e.peak_bytes/e.capacity_bytes},{head:`Least in use`,cell:({lasting_bytes:e})=>P(e),kind:`number`,value:({lasting_bytes:e})=>e},{head:`Largest free block at the peak`,cell:({free_block_bytes:e})=>e===null?`not recorded`:P(e),kind:`number`,value:({free_block_bytes:e})=>e}],Qc=class extends D{constructor(...e){super(...e),this.chosen=0}static{this.styles=E`
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
  `}static{this.properties={memory:Object,chosen:Number}}get gpu(){return this.memory.devices[this.chosen]}changed(e){`memory`in e&&(this.chosen=0)}template(){let{memory:e,gpu:t,chosen:n}=this,{devices:r,devices_total:i}=e,a=r.length<i?`the fullest ${r.length} of `:``,o=new Set(r.map(({host:e})=>e)),s=({host:e,device:t})=>`${o.size>1?`${e} `:``}${R(t)}`;return x`
      <h2>
        GPU memory <small>${a}${L(i,`GPU`)}, as the framework’s allocator recorded it</small>
      </h2>
      <p class="name">${$c(e,t)}</p>
      <label ?hidden=${r.length<2}
        >GPU
        <select id="choice" @change=${this.onChoice}>
          ${r.map((e,t)=>x`<option .value=${String(t)} .selected=${t===n}>${s(e)}</option>`)}
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
        allocated when work is launched, ahead of the GPU. ${Jc(t)}
      </p>
      <div class="tables">
        <tfperf-table
          panel="memory"
          heading="What is in use at the peak"
          .columns=${Xc}
          .items=${el(t)}
          .note=${tl(t)}
        ></tfperf-table>
        <tfperf-table panel="memory" heading="Each GPU" .columns=${Zc} .items=${r}></tfperf-table>
      </div>
    `}drawn(){let{memory:e,gpu:t}=this,{drawing:n,groups:r}=Gc(t,`Memory in use over time. ${$c(e,t)}`),i=this.child(`chart`);i.replaceChildren(n),new k(i).explain(n,r,Yc(t))}onChoice(e){this.chosen=e.target.selectedIndex}};function $c(e,t){return qc(e,t,t===e.devices[0])}function el(e){let t={op:`allocated before the recording`,size_bytes:e.before_bytes,count:0};return e.before_bytes>0?[t,...e.alive]:e.alive}function tl({alive:e,alive_total:t}){return t>e.length?`The ${F(e.length)} ops that hold the most, of ${F(t)}.`:``}customElements.define(`tfperf-memory`,Qc);var nl=`import tensorflow as tf

tensorboard = tf.keras.callbacks.TensorBoard("LOGDIR", profile_batch=(10, 20))
model.fit(data, epochs=1, callbacks=[tensorboard])`,rl=`import tensorflow as tf

for step in range(30):
    if step == 10:
        tf.profiler.experimental.start("LOGDIR")
    with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        batch = next(batches)
        train_step(batch)
tf.profiler.experimental.stop()`,il=class extends D{static{this.styles=E`
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
  `}template(){return x`
      <h1>No profiles in this log directory yet</h1>
      <p>
        Record ten or so steps after the first ones, which trace and compile. Write them to the directory that
        TensorBoard reads (LOGDIR below).
      </p>
      <tfperf-code framework="Keras" .code=${nl}></tfperf-code>
      <tfperf-code framework="Custom training loop" .code=${rl}></tfperf-code>
      <p class="note">
        The batch is fetched inside the Trace block, so that waiting for input counts as part of the step.
      </p>
      <button class="button accent" @click=${()=>O(this,`retry`)}>Look again</button>
    `}};customElements.define(`tfperf-no-profiles`,il);var al=44;function ol(e){let t=br(e,al);if(!e)return`not named`;let n=document.createElement(`span`);return n.textContent=t,n.className=`elided`,t===e||(n.title=e,n.tabIndex=0,n.addEventListener(`focus`,()=>n.textContent=e),n.addEventListener(`blur`,()=>n.textContent=t)),n}var sl={phase:``,text:``};function Q(e,t,n){return{head:e,cell:e=>{let r=t(e);return r===null?``:n(r)},value:t,kind:`number`}}function $(e,t){return{head:e,cell:t,value:t}}function cl(e,t){return{head:e,cell:e=>ol(t(e)),value:t,kind:`name`}}var ll=[Q(`Per step`,({ns:e})=>e,M),Q(`Share`,({ratio:e})=>e,N)],ul=[$(`Phase`,({phase:e})=>_r(e)),Q(`Launches`,({count_per_step:e})=>e,F),Q(`Mean`,({mean_ns:e})=>e,M),Q(`Shortest`,({min_ns:e})=>e,M),Q(`Longest`,({max_ns:e})=>e,M)],dl=[Q(`To win`,Dr,M),Q(`TFLOP/s`,Tr,xn),Q(`Of the bound`,Er,N),$(`Bound by`,({bound_by:e})=>e)],fl=[...ll,...dl,cl(`Op`,e=>e.name),$(`Type`,({type:e})=>e),...ul,Q(`Kernels`,({kernels:e})=>e,F),$(`Format`,({format:e})=>e),$(`Why not judged`,({not_judged:e})=>e)],pl=[...ll,$(`Type`,({type:e})=>e||`not named`),...ul.slice(0,3),Q(`Ops`,({ops:e})=>e,F)],ml=[...ll,...dl,cl(`Kernel`,e=>e.name),cl(`Op`,({op:e})=>e),...ul,$(`Class`,({kernel_class:e})=>e),$(`Precision`,({precision:e})=>e),$(`Tensor Cores`,Cr),Q(`Registers`,({registers:e})=>e,F),Q(`Shared memory`,({shared_bytes:e})=>e,P),$(`Grid`,({grid:e})=>e),$(`Block`,({block:e})=>e),Q(`Occupancy`,({occupancy_ratio:e})=>e,N)],hl=_l(fl),gl=_l(ml);function _l(e){let t=[...dl.map(({head:e})=>e),`Format`,`Why not judged`];return e.filter(({head:e})=>!t.includes(e))}var vl=[cl(`Op`,e=>e.name),$(`Type`,({type:e})=>e),Q(`Own time`,({self_ns:e})=>e,M),Q(`Time`,({ns:e})=>e,M),Q(`Calls`,({calls_per_step:e})=>e,F)],yl=`No kernels can be given to steps in this profile; the host’s ops are below.`,bl=class extends D{constructor(...e){super(...e),this.filter=sl}static{this.styles=E`
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
  `}static{this.properties={report:Object,filter:Object}}changed(e){`report`in e&&(this.filter=sl)}template(){let{filter:e,report:t}=this,n=(t.phases?.items??[]).filter(({ns:e})=>e>0),r=xr(t.ops?.types??[],e,({type:e})=>[e]),i=xr(t.ops?.rows??[],e,({name:e,type:t})=>[e,t]),a=xr(t.kernels?.rows??[],e,e=>[e.name,e.op,e.kernel_class,e.precision]),o=xr(t.host_ops?.rows??[],{...e,phase:``},({name:e,type:t})=>[e,t]),s=[...t.ops?.rows??[],...t.kernels?.rows??[]].some(e=>e.flops!==null||e.floor_ns!==null),c=e.phase===``&&e.text.trim()===``?``:`${L(i.length,`op`)}, ${L(a.length,`kernel`)} and ${L(o.length,`op`)} on the host match.`;return x`
      <h2>Ops and kernels <small>per step and GPU</small></h2>
      <p class="name">${t.ops?Sr(t.ops):yl}</p>
      <div class="tools">
        <label ?hidden=${n.length===0}
          >Phase
          <select id="phase" @change=${this.onFilter}>
            <option value="">all</option>
            ${n.map(({id:e})=>x`<option .value=${e}>${B(e).words}</option>`)}
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
        .columns=${pl}
        .items=${r}
      ></tfperf-table>
      ${xl(`ops`,`Ops on the GPUs`,s?fl:hl,i,t.ops)}
      ${xl(`kernels`,`Kernels`,s?ml:gl,a,t.kernels)}
      ${xl(`hostOps`,`Ops on the host`,vl,o,t.host_ops)}
    `}drawn(e){`report`in e&&(this.field(`phase`).value=``,this.field(`text`).value=``)}field(e){return this.child(e)}onFilter(){this.filter={phase:this.field(`phase`).value,text:this.field(`text`).value}}};function xl(e,t,n,r,i){let a=i?.rows.length??0;return x`<tfperf-table
    panel="ops"
    id=${e}
    .heading=${`${t} (${r.length<a?`${F(r.length)} of `:``}${F(a)})`}
    .columns=${n}
    .items=${r}
    .note=${i&&i.total>a?`The ${F(a)} with the most time of ${F(i.total)}.`:``}
  ></tfperf-table>`}customElements.define(`tfperf-ops`,bl);var Sl=[{head:`Phase`,cell:({id:e})=>B(e).words},{head:`Per step`,cell:({ns:e})=>M(e),kind:`number`},{head:`Share of compute`,cell:({ratio:e})=>N(e),kind:`number`}],Cl=`Told from the name scopes of ops, averaged over steps and GPUs. Where kernels overlap, the time belongs to the one that began first, so phases add up to the compute time above.`,wl=class extends D{static{this.styles=E`
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
  `}static{this.properties={phases:Object}}template(){let{phases:e}=this,t=Tl(e);return x`
      <h2>Compute by phase</h2>
      <p class="note">${yr(e)}</p>
      <div ?hidden=${!e.items}>
        <div id="chart"></div>
        <ul id="legend" class="legend" aria-label="Phases, shares of compute">
          ${t.map(({id:e,ratio:t})=>H(B(e),`${B(e).words} ${N(t)}`))}
        </ul>
        <tfperf-table heading="The phases as a table" .columns=${Sl} .items=${t} note=${Cl}></tfperf-table>
      </div>
    `}drawn(){let e=Tl(this.phases);if(e.length===0)return;let t=e.map(vr),{drawing:n,segments:r}=is(e.map(({id:e,ns:t})=>({look:B(e),ns:t})),Math.max(1,e.reduce((e,{ns:t})=>e+t,0)),`Compute by phase: ${t.join(`; `)}`,14),i=this.child(`chart`);i.replaceChildren(n),new k(i).explain(n,r,t)}};function Tl({items:e}){return e?.filter(({ns:e})=>e>0)??[]}customElements.define(`tfperf-phases`,wl);var El={xspace:`Reading the profile`,trace:`Sorting events into kernels, copies and host work`,steps:`Finding the steps`,ledger:`Dividing each step among its causes`,rules:`Checking the rules`,report:`Writing the report`},Dl=class extends D{constructor(...e){super(...e),this.progress=null}static{this.styles=E`
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
  `}static{this.properties={progress:Object}}template(){let{progress:e}=this;return x`
      <h1>
        <span role="status">${e?Ol(e):`Loading`} …</span>
      </h1>
      ${e?kl(e,()=>O(this,`cancel`)):S}
    `}};function Ol({stage:e,waits_for:t}){return t?`Waiting for the analysis of ${t.join(` and `)}`:El[e]??`Analyzing the profile`}function kl({share:e,hosts_done_count:t,hosts_count:n},r){return x`
    <progress max="1" .value=${e} aria-label="Share of the analysis that is done"></progress>
    <p class="note">${t===void 0||!n?``:`Host ${Math.min(t+1,n)} of ${n}. `}${N(e)} done. A large profile takes some seconds once; the result is kept.</p>
    <button class="button" @click=${r}>Cancel</button>
  `}customElements.define(`tfperf-progress`,Dl);var Al=22,jl=300,Ml=15,Nl=3,Pl=15;function Fl(e,t,n){let r=Or(e,t),{x:i,y:a}=Ar(e,r,t),o=e=>`${(100*Mt(e,...i)).toFixed(4)}%`,s=e=>Number((Al+jl*(1-Mt(e,...a))).toFixed(2)),c=Math.max(1,...e.map(({op:e})=>e.ns)),l=e.map(e=>V(`g`,{class:`dot`,role:`img`,tabindex:-1},V(`circle`,{cx:o(e.intensity),cy:s(e.rate),r:Math.max(Nl,Ml*Math.sqrt(e.op.ns/c)).toFixed(2)}))),u=(e,t,n)=>V(`line`,{class:e,x1:o(t[0]),y1:s(t[1]),x2:o(n[0]),y2:s(n[1])}),d=[...jt(...i).map(e=>V(`g`,{},u(`grid`,[e,a[0]],[e,a[1]]),V(`text`,{class:`tick`,x:o(e),y:338},F(e)))),...jt(...a).map(e=>V(`g`,{},u(`grid`,[i[0],e],[i[1],e]),V(`text`,{class:`tick end`,x:0,dx:-8,y:s(e)+4},bn(e).replace(`.0`,``))))];return{drawing:V(`svg`,{width:`100%`,height:360,role:`group`,"aria-label":n},...d,V(`text`,{class:`tick`,x:`50%`,y:356},`arithmetic intensity, FLOP per byte`),...f(r,t.bytes_per_s,`limit`),...f(r.map(e=>({...e,flops_per_s:e.flops_per_s*e.reached_ratio})),t.bytes_per_s*t.bytes_reached_ratio,`limit reached`),...r.map(e=>V(`rect`,{class:`ridge`,x:o(kr(e,t)),y:s(e.flops_per_s),width:8,height:8})),...l,...p()),groups:l};function f(e,t,n){let r=e.map(({flops_per_s:e})=>e/t),o=Math.max(i[0],a[0]/t),s=Math.max(...r);return[...s>o?[u(n,[o,o*t],[s,s*t])]:[],...e.map(({flops_per_s:e},t)=>u(n,[Math.min(r[t]??0,i[1]),e],[i[1],e]))]}function p(){let e=Nt(r.map(({flops_per_s:e})=>s(e)-7),Pl,322),n=Math.max(i[0],a[0]/t.bytes_per_s),c=Math.sqrt(n*Math.min(...r.map(e=>kr(e,t))));return[...r.map(({format:t,flops_per_s:n},r)=>V(`text`,{class:`mark end`,x:`100%`,dx:-4,y:e[r]??0},`${t} ${bn(n)}`)),V(`text`,{class:`mark end`,x:o(c),y:s(c*t.bytes_per_s)-10},`memory ${I(t.bytes_per_s/1e9,`GB/s`)}`)]}}function Il(e,t,n){return{head:e,cell:e=>{let r=t(e);return r===null?``:n(r)},value:t,kind:`number`}}var Ll=({op:e})=>e.name||e.type,Rl=[Il(`Per step`,({op:e})=>e.ns,M),Il(`Share`,({op:e})=>e.ratio,N),Il(`Intensity`,e=>e.intensity,Sn),Il(`Rate`,({rate:e})=>e,bn),Il(`Of the bound`,({op:e})=>Er(e),N),{head:`Bound by`,cell:({op:e})=>e.bound_by,value:({op:e})=>e.bound_by},{head:`Format`,cell:({op:e})=>e.format,value:({op:e})=>e.format},{head:`Op`,cell:e=>ol(Ll(e)),value:Ll,kind:`name`}],zl=class extends D{constructor(...e){super(...e),this.dots=[]}static{this.styles=E`
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
  `}static{this.properties={report:Object}}changed(e){`report`in e&&(this.dots=wr(this.report.ops?.rows??[]))}template(){let{report:e,dots:t}=this,{ops:n,roofline:r}=e;if(!r||!n)return x`<h2><tfperf-term word="Roofline"></tfperf-term></h2>
        <p class="note name">${Fr(e)}</p>`;let i=t.length>0;return x`
      <h2><tfperf-term word="Roofline"></tfperf-term> <small>ops on ${r.name}, per step and GPU</small></h2>
      <p class="name">
        <tfperf-text .text=${i?Mr(t,n):Bl}></tfperf-text>
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
        <p class="note name">${i?Nr(Or(t,r),r):``} ${Vl(r)}</p>
        <tfperf-table
          panel="compute"
          .heading=${`The roofline as a table (${F(t.length)})`}
          .columns=${Rl}
          .items=${t}
        ></tfperf-table>
      </div>
    `}drawn(e){let{dots:t,report:n}=this;if(!(`report`in e)||!n.roofline||!n.ops||t.length===0)return;let{drawing:r,groups:i}=Fl(t,n.roofline,`Ops by arithmetic intensity and rate; arrow keys go from op to op`),a=this.child(`chart`);a.replaceChildren(r);let o=new k(a),s=t.map(jr);i.forEach((e,n)=>{e.setAttribute(`aria-label`,s[n]??``),e.addEventListener(`focus`,()=>{for(let t of i)t.setAttribute(`tabindex`,t===e?`0`:`-1`);o.show(e,s[n]??``)}),e.addEventListener(`blur`,()=>o.hide()),e.addEventListener(`pointerenter`,()=>o.show(e,s[n]??``)),e.addEventListener(`pointerleave`,()=>o.hide()),e.addEventListener(`keydown`,e=>{e.key===`Escape`&&o.hide();let r=Lr(t,n,e.key);r!==null&&(e.preventDefault(),i[r]?.focus())})}),i[0]?.setAttribute(`tabindex`,`0`)}},Bl=`Of no op the profile tells how many floating-point operations it does and how many bytes it moves.`;function Vl({source:e,reached_source:t}){return[e&&`Peaks: ${e}.`,t&&`What libraries reach: ${t}.`].filter(Boolean).join(` `)}customElements.define(`tfperf-roofline`,zl);function Hl(e){let t=new Map;for(let n of e){let e=JSON.stringify(n.facts),r=t.get(e)??{records:[],facts:n.facts};r.records.push(n),t.set(e,r)}return[...t.values()]}var Ul=`from tfperf_plugin.keras import DiagnosticsCallback
model.fit(..., callbacks=[tensorboard, DiagnosticsCallback(LOGDIR)])`,Wl=class extends D{constructor(...e){super(...e),this.records=[]}static{this.styles=E`
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
  `}static{this.properties={records:Array}}template(){return x`
      <details>
        <summary>What the training recorded about itself</summary>
        ${Hl(this.records).map(({records:e,facts:t})=>x`
            <div class="group">
              <ul>
                ${e.map(({host:e,file:t,recorded:n})=>x`<li class="name">${[e,t,n].filter(Boolean).join(` · `)}</li>`)}
              </ul>
              <dl>
                ${t.map(({label:e,value:t})=>x`<div>
                      <dt>${e}</dt>
                      <dd>${t}</dd>
                    </div>`)}
              </dl>
            </div>
          `)}
        ${this.records.length===0?x`
                <p class="note">
                  Nothing was recorded beside this profile. With this callback the number of parameters, the batch size,
                  threads and links between GPUs are known and need not be estimated:
                </p>
                <tfperf-code framework="Keras" .code=${Ul}></tfperf-code>
              `:S}
      </details>
    `}};customElements.define(`tfperf-training`,Wl);var Gl=150,Kl=class extends D{constructor(...e){super(...e),this.view=`waiting`,this.runs=[],this.run=null,this.report=null,this.progress=null,this.error=null,this.access=null,this.step=null,this.hovered=null,this.zoom=null,this.target=null,this.timeline=null,this.selected=null,this.marks={},this.base=null,this.without=null,this.predict=null,this.board=Qs,this.round=0,this.typed=Xe,this.refused=Qe,this.recomputing=!1,this.parts=0,this.said=``,this.state=it,this.unwritten=!1,this.wanted=null,this.retyped=new Set,this.loading=new AbortController,this.stale=!1,this.leaving=null,this.listed=!1,this.trail=[],this.thresholds=null,this.words=null}static{this.styles=E`
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
    main.runs {
      max-width: 1800px;
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
    tfperf-budget,
    tfperf-finding,
    tfperf-checks,
    tfperf-compute,
    tfperf-roofline,
    tfperf-communication,
    tfperf-hosts,
    tfperf-input,
    tfperf-ops,
    tfperf-memory,
    tfperf-phases,
    tfperf-finding-timeline,
    tfperf-training {
      margin-top: 32px;
    }
  `}static{this.properties={view:String,runs:Array,run:String,report:Object,progress:Object,error:Object,access:Object,step:String,hovered:String,zoom:String,target:Object,timeline:Object,selected:String,marks:Object,base:String,without:String,predict:Object,typed:Object,board:Object,round:Number,refused:Object,recomputing:Boolean,parts:Number,said:String}}template(){let{run:e,runs:t,view:n}=this,r=n===`report`?this.report:null;return x`
      <main class=${n}>
        <div class="unseen" role="status">${this.said}</div>
        ${n!==`runs`&&(t.length>0||e!==null)?x`<tfperf-bar
                .runs=${t}
                .run=${e}
                .base=${this.base}
                .typed=${this.typed}
                .report=${r}
              ></tfperf-bar>`:S}
        ${this.round>0?x`<tfperf-board
                ?hidden=${n!==`runs`}
                .on=${n===`runs`}
                .backend=${this.backend}
                .runs=${t}
                .base=${this.base}
                .state=${this.board}
                .round=${this.round}
              ></tfperf-board>`:S}
        ${this.content()}
      </main>
    `}content(){switch(this.view){case`waiting`:return x`<tfperf-progress .progress=${this.progress}></tfperf-progress>`;case`empty`:return x`<tfperf-no-profiles></tfperf-no-profiles>`;case`failed`:return x`<tfperf-failure .error=${this.error}></tfperf-failure>`;case`runs`:return S;case`report`:return this.report?this.first(this.report):S}}first(e){return x`
      <tfperf-verdict .report=${e}></tfperf-verdict>
      ${this.comparison(e.run)}
      <tfperf-budget
        .report=${e}
        .ask=${this.predict}
        .without=${this.without}
        .selected=${xt(e.findings,this.selected)?.finding.id??null}
        .marks=${this.marks}
      ></tfperf-budget>
      <div class=${this.parts===1?`former`:``}>${this.parts===1?je:this.below(e)}</div>
    `}comparison(e){let{base:t,backend:n}=this;return!t||t===e?S:x`<tfperf-compare .backend=${n} .base=${t} .run=${e}></tfperf-compare>`}below(e){let{parts:t}=this;if(t===0)return S;let n=xt(e.findings,this.selected);return x`
      ${n?x`<tfperf-finding
              .finding=${n.finding}
              .index=${n.rank}
              .run=${e.run}
              .access=${this.access}
              .mark=${this.marks[n.finding.id]??null}
              .stagger=${e.stagger}
              .opened=${this.selected}
            ></tfperf-finding>`:S}
      <tfperf-checks .report=${e}></tfperf-checks>
      ${t>2?this.panels(e):x`<p class="note late">Charts and tables follow …</p>`}
    `}panels(e){let{access:t,typed:n}=this,{ledger:r}=e;return x`
      ${e.steps.columns.length?x`<tfperf-finding-timeline
              .report=${e}
              .access=${t}
              .ask=${this.timeline}
              .locked=${this.selected}
              .hovered=${this.hovered}
              .step=${this.step}
              .zoom=${this.zoom}
              .marks=${this.marks}
              .target=${this.target}
            ></tfperf-finding-timeline>`:S}
      ${r?.compute_parts.length?x`<tfperf-compute .ledger=${r}></tfperf-compute>`:S}
      ${Pr(e)?x`<tfperf-roofline .report=${e}></tfperf-roofline>`:S}
      ${co(e)?x`<tfperf-communication
              .report=${e}
              .access=${t}
              .typed=${n}
              .refused=${this.refused}
              .recomputing=${this.recomputing}
            ></tfperf-communication>`:S}
      ${e.by_host.length>1?x`<tfperf-hosts .hosts=${e.by_host}></tfperf-hosts>`:S}
      ${e.input?.iterators.length?x`<tfperf-input .input=${e.input}></tfperf-input>`:S}
      ${e.phases?x`<tfperf-phases .phases=${e.phases}></tfperf-phases>`:S}
      ${e.ops??e.host_ops?x`<tfperf-ops .report=${e}></tfperf-ops>`:S}
      ${e.memory?x`<tfperf-memory .memory=${e.memory}></tfperf-memory>`:S}
      <tfperf-training .records=${e.training}></tfperf-training>
    `}ready(){super.ready();let e=(e,t)=>this.addEventListener(e,e=>t(e.detail));e(`run-change`,({run:e})=>{this.host.stepOn(),this.choose({...it,run:e,base:this.base})}),e(`go-to-runs`,()=>this.goToRuns()),e(`board-change`,e=>{this.board={...this.board,...e},this.view===`runs`&&this.remember({...this.state,...this.board})}),e(`base-change`,({base:e})=>{this.base=e,this.remember({...this.state,base:e})}),document.addEventListener(`keydown`,e=>{this.isConnected&&this.view!==`runs`&&ws(e)&&(e.key===`r`?this.goToRuns():e.key===`p`&&O(this,`base-change`,{base:this.base===this.run?null:this.run}))}),e(`assume`,({field:e,text:t})=>{this.wanted={...this.wanted??this.typed,[e]:t},this.retyped.add(e),this.recomputing=!0,this.load()}),e(`retry`,()=>void this.load(this.view===`failed`&&this.error?.kind===`cancelled`)),e(`cancel`,()=>void this.backend.cancel(this.run??``).catch(e=>this.fail(e))),e(`finding-select`,({id:e})=>this.lock(e)),e(`finding-lock`,({id:e})=>this.lock(e)),e(`finding-hover`,({id:e})=>this.hovered=e),e(`zoom-change`,({zoom:e})=>{this.zoom=e,this.remember({...this.state,zoom:e})}),e(`timeline-back`,()=>{this.trail.length>0&&this.host.back()}),e(`step-change`,({id:e})=>this.goToStep(e)),e(`show-in-timeline`,({place:e})=>this.goToPlace(e)),e(`mark`,({id:e,mark:t})=>{this.marks=yt(this.marks,e,t),this.run!==null&&this.host.keepMarks(this.run,this.marks)}),e(`link`,e=>{e.answer=this.host.link({...this.state,finding:e.id})}),e(`thresholds`,e=>{e.answer=this.thresholds??=this.backend.thresholds().catch(e=>{throw this.thresholds=null,e})}),e(`try-out`,e=>{e.answer=this.tryOut(e.trials)}),e(`without-change`,({without:e})=>{this.without=e,this.remember({...this.state,without:e})}),e(`open-profile-tab`,({target:e,click:t})=>{this.host.openProfileTab(e)&&t.preventDefault()})}start(e,t){return this.backend=e,this.host=t,this.timeline=(e,t)=>this.backend.timeline({run:this.run??``,...this.typed,...e},t),this.predict=(e,t)=>this.backend.predict({run:this.run??``,...this.typed},e,t),this.state=t.readAddress(),this.board=ql(this.state),this.step=this.state.step,this.zoom=this.state.zoom,this.selected=this.state.finding,this.base=this.state.base,this.without=this.state.without,t.onShown(()=>this.catchUp()),this.load()}reload(){this.host.isShown()?this.load():this.stale=!0}catchUp(){let e=this.host.readAddress(),t=e.run!==null||e.row!==null;!this.unwritten&&t&&JSON.stringify(e)!==JSON.stringify(this.state)?this.view===`report`&&Yl(e,this.state)?this.restore(e):this.choose(e):(this.writeAddress(),this.stale&&this.load())}async tryOut(e){let{report:t,run:n,typed:r}=this;if(t===null||n===null)throw Error(`There is no report.`);return{base:t,other:await this.backend.report({run:n,...r,tried:e},()=>void 0,this.loading.signal)}}remember(e){this.state=e,this.writeAddress()}writeAddress(){this.unwritten=!1,this.host.writeAddress(this.state)}goToStep(e){this.zoom=null,this.step=e,this.remember({...this.state,step:e,zoom:null})}lock(e){let t=this.report?.findings.find(t=>t.id===e||t.explains.some(t=>t.id===e));this.selected=e,this.goToPlace(t?.where[0],{...this.state,finding:e})}goToPlace(e,t=this.state){let n=(e&&this.report&&Ti(e,this.report))??this.step;this.trail.push(Xl()),this.zoom=null,this.step=n,e&&(this.target={...e}),this.host.stepOn(),this.remember({...t,step:n,zoom:null})}restore(e){this.state=e,this.target=null,this.selected=e.finding,this.step=e.step,this.zoom=e.zoom,this.trail.pop()?.focus({preventScroll:!0})}choose(e){this.state=e,this.unwritten=!0,this.step=e.step,this.zoom=e.zoom,this.selected=e.finding,this.target=null,this.trail.length=0,this.base=e.base,this.without=e.without,e.run===null&&(this.board=ql(e)),this.wanted=null,this.typed=Xe,this.refused=Qe,this.retyped.clear(),this.recomputing=!1,this.load()}async load(e=!1){this.loading.abort(),this.loading=new AbortController,this.stay(),this.stale=this.listed=!1;let{signal:t}=this.loading;try{let n=this.words??=this.learnWords(),r=this.runs.length===0?this.list():null,i=this.state.run===null?await r??this.runs:[];if(t.throwIfAborted(),i.length>1){await n,t.throwIfAborted(),this.showRuns(),this.listAgain();return}let a=this.state.run??i[0]?.name;if(a===void 0){this.run=null,this.view=`empty`;return}(a!==this.report?.run||this.view!==`report`)&&this.wait(a);let{parameters:o,bandwidth:s}=this.state,c=o!==null||s!==null;this.wanted??=c?{parameters:o,bandwidth:s}:this.host.recall(a);let[l]=await Promise.all([this.ask(a,this.wanted,t,e),n,r]);t.throwIfAborted(),this.present(a,l)}catch(e){t.aborted||this.fail(e)}t.aborted||Jl(()=>this.listAgain())}showRuns(){this.stay(),this.run=null,this.round++,this.view=`runs`,this.said=`The runs are shown.`,this.writeAddress()}goToRuns(){this.runs.length<2||(this.host.stepOn(),this.choose({...it,...this.board,row:this.run??this.board.row,base:this.base}))}async list(){this.listed=!0;let e=await this.backend.runs();return JSON.stringify(e)!==JSON.stringify(this.runs)&&(this.runs=e),e}listAgain(){this.listed||this.list().catch(()=>void 0)}async learnWords(){try{ft(await this.backend.glossary())}catch{this.words=null}}wait(e){this.view===`report`||this.view===`runs`?this.leaving={run:e,timer:window.setTimeout(()=>this.leave(),Gl)}:this.leaveFor(e)}stay(){clearTimeout(this.leaving?.timer),this.leaving=null}leave(){this.leaving&&this.leaveFor(this.leaving.run)}leaveFor(e){this.stay(),this.run=e,this.progress=null,this.access=null,this.view=`waiting`,this.said=``,this.writeAddress()}async ask(e,t,n,r){let i=e=>{this.leave(),this.listAgain(),this.recomputing||(this.progress=e,this.view=`waiting`)},a=t=>this.backend.report({run:e,...t,...r?{again:r}:{}},i,n),o=Qe;try{return{report:await a(t),typed:t,refused:o}}catch(e){if(!Zl(e))throw e}let s=this.typed;for(let e of Ze){let n=t[e];if(n!==s[e])try{await a({...s,[e]:n}),s={...s,[e]:n}}catch(t){if(!Zl(t))throw t;o={...o,[e]:{text:n??``,message:t.message}}}}return{report:await a(s),typed:s,refused:o}}present(e,{report:t,typed:n,refused:r}){this.stay();let i=this.view!==`report`||e!==this.run;this.run=e,this.wanted=n,this.recomputing&&this.host.keep(e,n),this.typed=n;let a=Ze.filter(e=>!this.retyped.has(e)&&!r[e]&&this.refused[e]);this.retyped.clear(),this.refused=a.reduce((e,t)=>({...e,[t]:this.refused[t]}),r),this.recomputing=!1,this.state={...this.state,run:e,...n},(i||JSON.stringify(t)!==JSON.stringify(this.report))&&(this.selected=this.state.finding,performance.mark(`tfperf:report`),this.report=t,this.view=`report`,this.said=`The report of ${e} is shown.`),i?(this.access=null,this.parts=1):(this.marks=this.host.marks(e),this.selectNext()),this.parts<3&&this.drawOn(),Jl(()=>{this.writeAddress(),this.backend.traceAccess(e).then(t=>{this.run===e&&(this.access=t)})})}selectNext(){let{findings:e}=this.report??{findings:[]};xt(e,this.selected)||(this.selected=bt(e,this.marks)?.id??null)}drawOn(){Jl(()=>{this.leaving||(this.parts===1?(this.parts=0,this.drawNow(),this.marks=this.host.marks(this.run??``),this.selectNext(),this.parts=2,this.drawOn()):(performance.mark(`tfperf:painted`),this.parts=3))})}fail(e){this.leave(),this.error=e instanceof h?e:new h(e instanceof Error?e.message:String(e),`internal`),this.recomputing=!1,this.view=`failed`}};function ql({sort:e,filter:t,only:n,row:r,pair:i}){return{sort:e,filter:t,only:n,row:r,pair:i}}function Jl(e){requestAnimationFrame(()=>setTimeout(e))}function Yl(e,t){let n=[`finding`,`step`,`zoom`];return Object.keys(e).every(r=>n.includes(r)||e[r]===t[r])}function Xl(){let e=document.activeElement;for(;e?.shadowRoot?.activeElement;)e=e.shadowRoot.activeElement;return e}function Zl(e){return e instanceof h&&e.kind===`bad_request`}customElements.define(`tfperf-app`,Kl);var Ql=2e4;function $l(){try{return window.parent.document===document?null:window.parent}catch{return null}}function eu(e){return e.querySelector(`iframe[src$="plugin_entry.html?name=profile"]`)}function tu(e,t){return new Promise(n=>{let r=e=>{a.disconnect(),clearTimeout(o),n(e)},i=()=>{let e=t();e!==null&&r(e)},a=new MutationObserver(i),o=setTimeout(()=>r(null),Ql);a.observe(e,{childList:!0,subtree:!0}),i()})}var nu=class{constructor(e=$l(),t=document.baseURI){this.tensorboard=e,this.baseURI=t}readAddress(){return this.tensorboard?st(this.tensorboard.location.hash):it}writeAddress(e){if(!this.tensorboard||!ct(this.tensorboard.location.hash))return;let{history:t,location:n}=this.tensorboard,r=lt(n.hash,e);r!==n.hash&&t.replaceState(t.state,``,r)}back(){this.tensorboard?.history.back()}stepOn(){let{history:e,location:t}=this.tensorboard??{};t&&ct(t.hash)&&e?.pushState(e.state,``,t.href)}link(e){let t=new URL(this.tensorboard?.location.href??n(this.baseURI).href);return t.hash=lt(t.hash,e),t.href}marks(e){return _t(e)}keepMarks(e,t){vt(e,t)}recall(e){return et(e)}keep(e,t){tt(e,t)}isShown(){return window.innerHeight>0}onShown(e){let t=this.tensorboard,n=iu();if(!t||!n)return;let r=()=>{this.isShown()&&e()},{ResizeObserver:i}=t;new i(r).observe(n),t.addEventListener(`hashchange`,r)}openProfileTab(e){let t=this.tensorboard;return t?(t.location.hash=`profile`,t.history.replaceState(t.history.state,``,`${c(e)}#profile`),this.zoomProfileTab(t,e),!0):!1}async zoomProfileTab(e,t){let n=await tu(e.document,()=>eu(e.document)),r=n?.contentWindow;if(!n||!r)return;r.location.replace(u(this.baseURI,t,Date.now().toString(36))),await new Promise(e=>n.addEventListener(`load`,e,{once:!0}));let i=n.contentDocument;if(!i)return;let a=await tu(i,()=>{let e=i.querySelector(`trace-viewer iframe`);return e?.src?e:null});a&&(a.contentWindow?.location.replace(d(a.src,t)),e.location.hash===``&&e.history.replaceState(e.history.state,``,`${e.location.search}#profile`))}};function ru(){document.documentElement.lang=`en`,document.title=`Diagnostics`;let e=iu();e&&(e.title=`Diagnostics`)}function iu(){try{return window.frameElement}catch{return null}}function au(){let e=document.documentElement,t=$l()?.document.body;if(t){let n=()=>{e.dataset.theme=t.classList.contains(`dark-mode`)?`dark`:`light`};n(),new MutationObserver(n).observe(t,{attributes:!0,attributeFilter:[`class`]});return}let n=window.matchMedia(`(prefers-color-scheme: dark)`),r=()=>{e.dataset.theme=n.matches?`dark`:`light`};r(),n.addEventListener(`change`,r)}function ou(e=iu()){e&&Object.defineProperty(e,"reload",{configurable:!0,get:()=>void 0,set:t=>{let n=eu(e.ownerDocument);n&&Object.assign(n,{reload:t})}})}function su(e){let t=$l();if(!t)return;let{port1:n,port2:r}=new MessageChannel;n.onmessage=({data:t})=>{let{type:r,id:i,isReply:a}=JSON.parse(t);a||(n.postMessage(JSON.stringify({type:r,id:i,payload:null,error:null,isReply:!0})),r===`experimental.DataReloaded`&&e())},t.postMessage(`experimental.bootstrap`,`*`,[r])}function cu(){ru(),ou(),au();let e=document.createElement(`style`);e.textContent=Pt,document.head.append(e);let t=document.createElement(`tfperf-app`);document.body.append(t),su(()=>t.reload()),t.start(new de(document.baseURI),new nu)}export{cu as render};