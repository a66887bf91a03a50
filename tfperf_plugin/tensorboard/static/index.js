var e=()=>window.localStorage;function t(t,n=e){try{let e=JSON.parse(n().getItem(t)??`{}`);return typeof e==`object`&&e?e:{}}catch{return{}}}function n(t,n,r=e){try{Object.values(n).every(e=>e===null)?r().removeItem(t):r().setItem(t,JSON.stringify(n))}catch{}}var r={parameters:null,bandwidth:null,steps_per_epoch:null},i=Object.keys(r),a={parameters:null,bandwidth:null,steps_per_epoch:null},o=`tfperf.typed.`;function s(e){return Object.fromEntries(i.map(t=>[t,d(e[t])]))}function c(e){return i.some(t=>e[t]!==null)}function l(n,i=e){let a=s(t(o+n,i));return c(a)?a:r}function u(t,r,i=e){n(o+t,{...s(r)},i)}function d(e){return typeof e==`string`&&e!==``?e:null}var f=`trace_viewer@`,p=.1,m=.001;function h(e){return new URL(`../../../`,e)}function ee(e){return new URL(`../profile/`,e)}function g(e,t){let n=Math.min(e,t),r=Math.max(e,t),i=Math.max((r-n)*p,m);return{begin:Math.max(0,n-i),end:Math.max(m,r+i)}}function _(e){return e.toFixed(6)}function te(e,t={}){let{run:n,host:r}=e;return new URLSearchParams({run:n,host:r,hosts:r,...t}).toString()}function ne(e,t){let n=h(e);return n.search=te(t,{tool:f}),n.hash=`profile`,n.href}function re(e){return`?${new URLSearchParams({tool:f,run:e.run,hosts:e.host})}`}function ie(e,t){let n=ee(e),r=new URL(`data?${te(t,{tag:f})}`,n),{begin:i,end:a}=g(t.beginMs,t.endMs),o=new URL(`trace_viewer_index.html`,n);return o.search=new URLSearchParams({is_streaming:`true`,is_oss:`true`,trace_data_url:r.pathname+r.search,source_code_service:`false`,view_start:_(i),view_end:_(a)}).toString(),o.href}function ae(e,t,n){let{begin:r,end:i}=g(t.beginMs,t.endMs),a=new URL(`index.html`,ee(e));return a.search=te(t,{tool:f,view_start:_(r),view_end:_(i),nonce:n}),a.href}function oe(e,t){let n=new URL(e),{begin:r,end:i}=g(t.beginMs,t.endMs);return n.searchParams.set(`view_start`,_(r)),n.searchParams.set(`view_end`,_(i)),n.href}function se(e,t){let{run:n,host:r,beginMs:i,endMs:a}=t,{begin:o,end:s}=g(i,a);return new URL(`slice?${new URLSearchParams({run:n,host:r,begin_ms:_(o),end_ms:_(s)})}`,e).href}function ce(e,t){return new URL(`page?${new URLSearchParams({rule:t})}`,e).href}function le(e,t,n,r){let a=new URLSearchParams({run:t,format:r});for(let e of i){let t=n[e];t!==null&&a.set(e,t)}return new URL(`export?${a}`,e).href}function ue(e){try{let t=new URL(e);return[`http:`,`https:`].includes(t.protocol)?t.href:void 0}catch{return}}var v=class extends Error{constructor(e,t){super(e),this.kind=t}};function de(e,t){return e?.state===`ready`&&e.hosts.includes(t)}function fe(e,t){switch(e?.state){case void 0:return``;case`no_plugin`:return`The trace viewer is not there: TensorBoard’s profile plugin is missing (pip install xprof).`;case`no_run`:return`The trace viewer does not list this run.`;case`ready`:return de(e,t)?``:`The trace viewer does not list this host.`}}var pe=250,me=1e3,he=[`not_found`,`bad_request`,`unreadable`,`not_judgeable`,`cancelled`,`busy`],ge=/[\u202a-\u202e\u2066-\u2069]|\\u20(?:2[a-e]|6[6-9])/i,_e=200,[ve,ye,be]=[32,34,44],xe=new Set([`headline`,`advice`,`title`,`summary`,`action`,`cause`,`reason`,`how`,`sentence`,`answer`,`label`,`value`,`source`,`written`,`stage`,`note`]);function Se(e){let t=t=>{let n=e.charCodeAt(t);return n>ve&&n!==ye&&n!==be};for(let n=199;n<e.length;n+=_e){let[e,r]=[n,n];if(t(n)){for(;t(e-1);)e--;for(;t(r+1);)r++;if(r-e+1>=_e)return!0}}return!1}function Ce(e){if(!ge.test(e)&&!Se(e))return JSON.parse(e);let[t,n]=[new RegExp(ge,`gi`),RegExp(`[^\\s",]{${_e},}`,`g`)];return JSON.parse(e,(e,r)=>{if(typeof r!=`string`||e===`run`)return r;let i=r.replace(t,`�`);return xe.has(e)?i.replace(n,e=>`${e.slice(0,60)}…${e.slice(-40)}`):i})}var we=class{constructor(e,t=(e,t)=>window.fetch(e,t),n=e=>new Promise(t=>setTimeout(t,e))){this.baseURI=e,this.fetch=t,this.pause=n}async runs(){let{body:e}=await this.ask(`runs`);return e.runs}async trials(){return(await this.ask(`trials`)).body}async report(e,t,n){let r=`report?${Oe(e)}`,i=e.again?await this.ask(`${r}&again=1`,n):null;return i?.status===200?i.body:await this.awaited(r,t,n)}async cancel(e){await this.ask(`cancel?${new URLSearchParams({run:e})}`,void 0,`POST`)}async timeline(e,t){let{step:n,host:r,begin_ns:i,end_ns:a,width:o,keep:s,kernels:c}=e,l=Oe(e,{step:n,host:r,begin_ms:i/1e6,end_ms:a&&a/1e6,width:o,order:`late`,keep_host:s&&s.host,keep_gpu:s&&s.device,lane:c?`kernels`:null});return await this.awaited(`timeline?${l}`,()=>void 0,t)}async slice(e,t){let n=await this.ready(se(this.baseURI,e),()=>void 0,t),r=/filename="([^"]+)"/.exec(n.headers.get(`Content-Disposition`)??``)?.[1],i=n.headers.get(`X-Tfperf-Note`)??``;return{content:await n.blob(),name:r??`trace.json.gz`,note:i}}async compare(e,t,n,r){let i=new URLSearchParams([...e.map(e=>[`base`,e]),...t.map(e=>[`new`,e])]);return await this.awaited(`compare?${i}`,n,r)}async predict(e,t,n){let r=Oe(e,{without:t.join(`,`)});return await this.awaited(`predict?${r}`,()=>void 0,n)}async board(e,t,n){let r=new URLSearchParams([...e.map(e=>[`run`,e]),...t===null?[]:[[`base`,t]]]);return(await this.ask(`board?${r}`,n)).body}async awaited(e,t,n){return Te(await this.ready(e,t,n))}async ready(e,t,n){for(let r=pe;;r=Math.min(r*1.5,me)){let i=await this.send(e,n);if(i.status!==202)return i;t(await Te(i)),await this.pause(r),n.throwIfAborted()}}async glossary(){return(await this.ask(`glossary`)).body}async thresholds(){let{body:e}=await this.ask(`rules`),{rules:t,severities:n}=e;return{rules:Object.fromEntries(t.map(({id:e,thresholds:t})=>[e,t])),severities:n}}async traceAccess(e){let t=ee(this.baseURI);try{let n=new URL(`data/plugins_listing`,h(this.baseURI));if(!(`profile`in await this.json(n)))return{state:`no_plugin`};if(!(await this.json(new URL(`runs`,t))).includes(e))return{state:`no_run`};let r=new URLSearchParams({run:e,tag:`trace_viewer@`});return{state:`ready`,hosts:(await this.json(new URL(`hosts?${r}`,t))).map(({hostname:e})=>e)}}catch{return{state:`no_plugin`}}}async json(e){let t=await this.fetch(e.href);if(!t.ok)throw Error(`${t.status}`);return t.json()}async ask(e,t,n){let r=await this.send(e,t,n);return{status:r.status,body:await Te(r)}}async send(e,t,n){let r;try{let i={...t?{signal:t}:{},...n?{method:n,headers:{"X-Tfperf":`1`}}:{}};r=await this.fetch(new URL(e,this.baseURI).href,i)}catch(e){throw t?.aborted?e:new v(`TensorBoard does not answer. Is it still running?`,`unreachable`)}if(r.ok)return r;let{error:i,kind:a}=await Ee(r)??{};throw new v(typeof i==`string`?i:De(r),he.includes(String(a))?a:`internal`)}};async function Te(e){let t=await Ee(e);if(t===null)throw new v(De(e),`internal`);return t}function Ee(e){return e.text().then(Ce).catch(()=>null)}function De({status:e}){return`TensorBoard answered with status ${e}.`}function Oe({run:e,tried:t=[],...n},r={}){let i=Object.entries({run:e,...s(n),...r}).filter(([,e])=>e!==null),a=t.map(e=>[`threshold`,e]);return new URLSearchParams([...i.map(([e,t])=>[e,String(t)]),...a])}var ke=globalThis,Ae=e=>e,je=ke.trustedTypes,Me=je?je.createPolicy(`lit-html`,{createHTML:e=>e}):void 0,Ne=`$lit$`,y=`lit$${Math.random().toFixed(9).slice(2)}$`,Pe=`?`+y,Fe=`<${Pe}>`,b=document,Ie=()=>b.createComment(``),Le=e=>e===null||typeof e!=`object`&&typeof e!=`function`,Re=Array.isArray,ze=e=>Re(e)||typeof e?.[Symbol.iterator]==`function`,Be=`[ 	
\f\r]`,Ve=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,He=/-->/g,Ue=/>/g,x=RegExp(`>|${Be}(?:([^\\s"'>=/]+)(${Be}*=${Be}*(?:[^ \t\n\f\r"'\`<>=]|("|')|))|$)`,`g`),We=/'/g,Ge=/"/g,Ke=/^(?:script|style|textarea|title)$/i,S=(e=>(t,...n)=>({_$litType$:e,strings:t,values:n}))(1),qe=Symbol.for(`lit-noChange`),C=Symbol.for(`lit-nothing`),Je=new WeakMap,w=b.createTreeWalker(b,129);function Ye(e,t){if(!Re(e)||!e.hasOwnProperty(`raw`))throw Error(`invalid template strings array`);return Me===void 0?t:Me.createHTML(t)}var Xe=(e,t)=>{let n=e.length-1,r=[],i,a=t===2?`<svg>`:t===3?`<math>`:``,o=Ve;for(let t=0;t<n;t++){let n=e[t],s,c,l=-1,u=0;for(;u<n.length&&(o.lastIndex=u,c=o.exec(n),c!==null);)u=o.lastIndex,o===Ve?c[1]===`!--`?o=He:c[1]===void 0?c[2]===void 0?c[3]!==void 0&&(o=x):(Ke.test(c[2])&&(i=RegExp(`</`+c[2],`g`)),o=x):o=Ue:o===x?c[0]===`>`?(o=i??Ve,l=-1):c[1]===void 0?l=-2:(l=o.lastIndex-c[2].length,s=c[1],o=c[3]===void 0?x:c[3]===`"`?Ge:We):o===Ge||o===We?o=x:o===He||o===Ue?o=Ve:(o=x,i=void 0);let d=o===x&&e[t+1].startsWith(`/>`)?` `:``;a+=o===Ve?n+Fe:l>=0?(r.push(s),n.slice(0,l)+Ne+n.slice(l)+y+d):n+y+(l===-2?t:d)}return[Ye(e,a+(e[n]||`<?>`)+(t===2?`</svg>`:t===3?`</math>`:``)),r]},Ze=class e{constructor({strings:t,_$litType$:n},r){let i;this.parts=[];let a=0,o=0,s=t.length-1,c=this.parts,[l,u]=Xe(t,n);if(this.el=e.createElement(l,r),w.currentNode=this.el.content,n===2||n===3){let e=this.el.content.firstChild;e.replaceWith(...e.childNodes)}for(;(i=w.nextNode())!==null&&c.length<s;){if(i.nodeType===1){if(i.hasAttributes())for(let e of i.getAttributeNames())if(e.endsWith(Ne)){let t=u[o++],n=i.getAttribute(e).split(y),r=/([.?@])?(.*)/.exec(t);c.push({type:1,index:a,name:r[2],strings:n,ctor:r[1]===`.`?nt:r[1]===`?`?rt:r[1]===`@`?it:tt}),i.removeAttribute(e)}else e.startsWith(y)&&(c.push({type:6,index:a}),i.removeAttribute(e));if(Ke.test(i.tagName)){let e=i.textContent.split(y),t=e.length-1;if(t>0){i.textContent=je?je.emptyScript:``;for(let n=0;n<t;n++)i.append(e[n],Ie()),w.nextNode(),c.push({type:2,index:++a});i.append(e[t],Ie())}}}else if(i.nodeType===8){if(i.data===Pe)c.push({type:2,index:a});else{let e=-1;for(;(e=i.data.indexOf(y,e+1))!==-1;)c.push({type:7,index:a}),e+=y.length-1}}a++}}static createElement(e,t){let n=b.createElement(`template`);return n.innerHTML=e,n}};function Qe(e,t,n=e,r){if(t===qe)return t;let i=r===void 0?n._$Cl:n._$Co?.[r],a=Le(t)?void 0:t._$litDirective$;return i?.constructor!==a&&(i?._$AO?.(!1),a===void 0?i=void 0:(i=new a(e),i._$AT(e,n,r)),r===void 0?n._$Cl=i:(n._$Co??=[])[r]=i),i!==void 0&&(t=Qe(e,i._$AS(e,t.values),i,r)),t}var $e=class{constructor(e,t){this._$AV=[],this._$AN=void 0,this._$AD=e,this._$AM=t}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(e){let{el:{content:t},parts:n}=this._$AD,r=(e?.creationScope??b).importNode(t,!0);w.currentNode=r;let i=w.nextNode(),a=0,o=0,s=n[0];for(;s!==void 0;){if(a===s.index){let t;s.type===2?t=new et(i,i.nextSibling,this,e):s.type===1?t=new s.ctor(i,s.name,s.strings,this,e):s.type===6&&(t=new at(i,this,e)),this._$AV.push(t),s=n[++o]}a!==s?.index&&(i=w.nextNode(),a++)}return w.currentNode=b,r}p(e){let t=0;for(let n of this._$AV)n!==void 0&&(n.strings===void 0?n._$AI(e[t]):(n._$AI(e,n,t),t+=n.strings.length-2)),t++}},et=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(e,t,n,r){this.type=2,this._$AH=C,this._$AN=void 0,this._$AA=e,this._$AB=t,this._$AM=n,this.options=r,this._$Cv=r?.isConnected??!0}get parentNode(){let e=this._$AA.parentNode,t=this._$AM;return t!==void 0&&e?.nodeType===11&&(e=t.parentNode),e}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(e,t=this){e=Qe(this,e,t),Le(e)?e===C||e==null||e===``?(this._$AH!==C&&this._$AR(),this._$AH=C):e!==this._$AH&&e!==qe&&this._(e):e._$litType$===void 0?e.nodeType===void 0?ze(e)?this.k(e):this._(e):this.T(e):this.$(e)}O(e){return this._$AA.parentNode.insertBefore(e,this._$AB)}T(e){this._$AH!==e&&(this._$AR(),this._$AH=this.O(e))}_(e){this._$AH!==C&&Le(this._$AH)?this._$AA.nextSibling.data=e:this.T(b.createTextNode(e)),this._$AH=e}$(e){let{values:t,_$litType$:n}=e,r=typeof n==`number`?this._$AC(e):(n.el===void 0&&(n.el=Ze.createElement(Ye(n.h,n.h[0]),this.options)),n);if(this._$AH?._$AD===r)this._$AH.p(t);else{let e=new $e(r,this),n=e.u(this.options);e.p(t),this.T(n),this._$AH=e}}_$AC(e){let t=Je.get(e.strings);return t===void 0&&Je.set(e.strings,t=new Ze(e)),t}k(t){Re(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,i=0;for(let a of t)i===n.length?n.push(r=new e(this.O(Ie()),this.O(Ie()),this,this.options)):r=n[i],r._$AI(a),i++;i<n.length&&(this._$AR(r&&r._$AB.nextSibling,i),n.length=i)}_$AR(e=this._$AA.nextSibling,t){for(this._$AP?.(!1,!0,t);e!==this._$AB;){let t=Ae(e).nextSibling;Ae(e).remove(),e=t}}setConnected(e){this._$AM===void 0&&(this._$Cv=e,this._$AP?.(e))}},tt=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(e,t,n,r,i){this.type=1,this._$AH=C,this._$AN=void 0,this.element=e,this.name=t,this._$AM=r,this.options=i,n.length>2||n[0]!==``||n[1]!==``?(this._$AH=Array(n.length-1).fill(new String),this.strings=n):this._$AH=C}_$AI(e,t=this,n,r){let i=this.strings,a=!1;if(i===void 0)e=Qe(this,e,t,0),a=!Le(e)||e!==this._$AH&&e!==qe,a&&(this._$AH=e);else{let r=e,o,s;for(e=i[0],o=0;o<i.length-1;o++)s=Qe(this,r[n+o],t,o),s===qe&&(s=this._$AH[o]),a||=!Le(s)||s!==this._$AH[o],s===C?e=C:e!==C&&(e+=(s??``)+i[o+1]),this._$AH[o]=s}a&&!r&&this.j(e)}j(e){e===C?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,e??``)}},nt=class extends tt{constructor(){super(...arguments),this.type=3}j(e){this.element[this.name]=e===C?void 0:e}},rt=class extends tt{constructor(){super(...arguments),this.type=4}j(e){this.element.toggleAttribute(this.name,!!e&&e!==C)}},it=class extends tt{constructor(e,t,n,r,i){super(e,t,n,r,i),this.type=5}_$AI(e,t=this){if((e=Qe(this,e,t,0)??C)===qe)return;let n=this._$AH,r=e===C&&n!==C||e.capture!==n.capture||e.once!==n.once||e.passive!==n.passive,i=e!==C&&(n===C||r);r&&this.element.removeEventListener(this.name,this,n),i&&this.element.addEventListener(this.name,this,e),this._$AH=e}handleEvent(e){typeof this._$AH==`function`?this._$AH.call(this.options?.host??this.element,e):this._$AH.handleEvent(e)}},at=class{constructor(e,t,n){this.element=e,this.type=6,this._$AN=void 0,this._$AM=t,this.options=n}get _$AU(){return this._$AM._$AU}_$AI(e){Qe(this,e)}},ot=ke.litHtmlPolyfillSupport;ot?.(Ze,et),(ke.litHtmlVersions??=[]).push(`3.3.3`);var st=(e,t,n)=>{let r=n?.renderBefore??t,i=r._$litPart$;if(i===void 0){let e=n?.renderBefore??null;r._$litPart$=i=new et(t.insertBefore(Ie(),e),e,void 0,n??{})}return i._$AI(e),i},ct=`diagnostics`,T={run:null,finding:null,base:null,step:null,zoom:null,without:null,sort:null,filter:null,only:null,row:null,pair:null,trial:null,...r},lt=`p.${ct}.`;function ut(e){try{return decodeURIComponent(e)}catch{return e}}function dt(e){let t=new Map;for(let n of e.replace(/^#/,``).split(`&`)){let e=n.indexOf(`=`);n.startsWith(lt)&&e>0&&t.set(n.slice(lt.length,e),ut(n.slice(e+1)))}return Object.fromEntries(Object.keys(T).map(e=>[e,t.get(e)||null]))}function ft(e){let t=e.replace(/^#/,``).split(`&`)[0]??``;return t===``||t===ct||t.includes(`=`)}function pt(e,t){let n=e.replace(/^#/,``).split(`&`).filter(e=>e!==``&&e!==ct&&!e.startsWith(lt)),r=Object.entries(t).filter(([,e])=>e!==null).map(([e,t])=>`${lt}${e}=${encodeURIComponent(String(t))}`);return`#${[ct,...n,...r].join(`&`)}`}async function mt(e){try{return await navigator.clipboard.writeText(e),!0}catch{return ht(e)}}function ht(e){let t=gt(document.activeElement),n=document.createElement(`textarea`);n.value=e,n.style.cssText=`position:fixed;opacity:0`,document.body.append(n),n.select();try{return document.execCommand(`copy`)}catch{return!1}finally{n.remove(),t?.focus({preventScroll:!0})}}function gt(e){let t=e?.shadowRoot?.activeElement;return t?gt(t):e}var _t={terms:[],heads:{}},vt=/(?!)/g;function yt(e){_t=e;let t=_t.terms.map(({pattern:e})=>`(${e})`).join(`|`);vt=RegExp(`(?<![\\w/.:-])(?:${t})(?![\\w/-]|[.:]\\w)`,`g`)}function bt(e){let t=[],n=new Set,r=0;for(let i of e.matchAll(vt)){let a=_t.terms[i.slice(1).findIndex(e=>e!==void 0)]?.meaning;a===void 0||n.has(a)||(n.add(a),i.index>r&&t.push(e.slice(r,i.index)),t.push({word:i[0],meaning:a}),r=i.index+i[0].length)}return r<e.length&&t.push(e.slice(r)),t}function xt(e,t){let[n]=bt(`${e[0]?.toLowerCase()}${e.slice(1)}`),[r]=bt(e);return _t.heads[t]?.[e]??[n,r].map(e=>typeof e==`object`?e.meaning:void 0).find(Boolean)}var St={done:`done`,irrelevant:`not relevant`},Ct=`tfperf.marks.`;function wt(n,r=e){let i=Object.entries(t(Ct+n,r));return Object.fromEntries(i.filter(e=>e[1]===`done`||e[1]===`irrelevant`))}function Tt(t,r,i=e){n(Ct+t,r,i)}function Et(e,t,n){let{[t]:r,...i}=e;return n===null?i:{...i,[t]:n}}function Dt(e,t){return e.find(({id:e})=>!t[e])??e[0]??null}function Ot(e,t){let n=e=>e.id===t||e.formerly.some(e=>e===t),r=e.findIndex(e=>n(e)||e.explains.some(n)),i=e[r];return i?{finding:i,rank:r+1}:null}function kt(e,{steps:t,by_host:n}){if(e.step===null)return null;let r=e.step+(n.find(({host:t})=>t===e.host)?.step_shift??0),i=t.columns.filter(e=>e.number===r);return(i.filter(({host:t,begin_ms:n})=>t===e.host&&n<=e.begin_ms+1e-6).at(-1)??i[0])?.id??String(r)}function At(e,t,n){let{columns:r,columns_total:i}=n.steps,a=e=>r.some(t=>t.id===e);if(e!==null&&(a(e)||i>r.length))return e;let o=jt(t,n);return(o?[o,...t]:[]).map(e=>kt(e,n)).find(a)??Mt(n.steps)?.id??null}function jt(e,t){return e.find(e=>{let n=kt(e,t);return t.steps.columns.some(e=>e.id===n&&e.note===``)})??e[0]}function Mt({columns:e,p50_ns:t}){let n=e.filter(e=>e.judged),r=({step_ns:e})=>Math.abs(e-t);return(n.length>0?n:e).reduce((e,t)=>e===void 0||r(t)<r(e)?t:e,void 0)}var Nt=150,Pt={trials:[],more_count:0},Ft={view:`waiting`,runs:[],trials:Pt,run:null,report:null,progress:null,error:null,access:null,address:T,board:Rt(T),kept:null,hovered:null,owner:null,target:null,marks:{},typed:r,refused:a,recomputing:!1,round:0,said:``};function It({report:e,address:t,kept:n,marks:r}){let i=e?.findings??[];return Ot(i,t.finding??n)?.finding??Dt(i,r)}var Lt=class{constructor(e,t,n){this.backend=e,this.host=t,this.draw=n,this.state=Ft,this.goal=T,this.wanted=null,this.retyped=new Set,this.loading=new AbortController,this.trying=new AbortController,this.leaving=0,this.stale=!1,this.listed=!1,this.trail=[],this.known=null,this.words=null,this.timeline=(e,t)=>{let{run:n,typed:r}=this.state;return this.backend.timeline({run:n??``,...r,...e},t)},this.predict=(e,t)=>{let{run:n,typed:r}=this.state;return this.backend.predict({run:n??``,...r},e,t)}}start(){return this.host.onShown(()=>this.catchUp()),this.choose(this.host.readAddress())}reload(){this.host.isShown()?this.load():this.stale=!0}retry(){let{view:e,error:t}=this.state;this.load(e===`failed`&&t?.kind===`cancelled`)}cancel(){this.backend.cancel(this.state.run??``).catch(e=>this.fail(e))}openRun(e){this.host.stepOn(),this.choose({...T,run:e,base:this.goal.base})}openRuns(){let{runs:e,trials:t,run:n,board:r}=this.state;(e.some(({name:e})=>e!==n)||t.trials.length!==0)&&(this.host.stepOn(),this.choose({...T,...r,base:this.goal.base,row:n??r.row}))}changeBoard(e){this.set({board:{...this.state.board,...e}}),this.state.view===`runs`&&this.remember(e)}setBase(e){this.remember({base:e})}pin(){let{run:e,address:t}=this.state;this.setBase(t.base===e?null:e)}assume(e,t){this.wanted={...this.wanted??this.state.typed,[e]:t},this.retyped.add(e),this.set({recomputing:!0}),this.load()}hover(e){this.set({hovered:e})}own(e){this.set({owner:e})}select(e){let{report:t}=this.state,n=Ot(t?.findings??[],e)?.finding.where??[];this.goToPlace(t?jt(n,t):void 0,{finding:e})}goToPlace(e,t={}){let{report:n,address:r}=this.state,i=(e&&n&&kt(e,n))??r.step;this.trail.push(gt(document.activeElement)),this.host.stepOn(),this.remember({...t,step:i,zoom:null}),e&&this.set({target:{...e}})}goToStep(e){this.remember({step:e,zoom:null})}zoom(e){this.remember({zoom:e})}back(){this.trail.length>0&&this.host.back()}mark(e,t){let{run:n,marks:r}=this.state;this.set({marks:Et(r,e,t),kept:It(this.state)?.id??null}),n!==null&&this.host.keepMarks(n,this.state.marks)}setWithout(e){this.remember({without:e})}link(e){return this.host.link({...this.state.address,finding:e})}thresholds(){return this.known??=this.backend.thresholds().catch(e=>{throw this.known=null,e})}async tryOut(e){let{report:t,run:n,typed:r}=this.state;if(t===null||n===null)throw Error(`There is no report.`);return{base:t,other:await this.backend.report({run:n,...r,tried:e},()=>void 0,this.trying.signal)}}set(e){this.state={...this.state,...e},this.draw(this.state)}remember(e){this.goal={...this.goal,...e},this.set({address:{...this.state.address,...e}}),this.host.writeAddress(this.state.address)}catchUp(){let e=this.host.readAddress(),{view:t,address:n}=this.state,r=e.run!==null||e.row!==null,i=this.goal.run!==n.run;if(!i&&r&&JSON.stringify(e)!==JSON.stringify(n)){if(t!==`report`||!Bt(e,n)){this.choose(e);return}this.restore(e)}else i||this.host.writeAddress(n);this.stale&&this.load()}restore(e){this.goal=e,this.set({address:e,target:null}),this.trail.pop()?.focus({preventScroll:!0})}choose(e){return this.trying.abort(),this.trying=new AbortController,this.goal=e,this.wanted=null,this.retyped.clear(),this.trail.length=0,this.load()}async load(e=!1){this.loading.abort(),this.loading=new AbortController,clearTimeout(this.leaving),this.stale=this.listed=!1;let{signal:t}=this.loading;try{let n=this.words??=this.learnWords(),r=this.state.runs.length===0?this.list():null,i=this.goal.run===null?await r??this.state.runs:[];if(t.throwIfAborted(),i.length>1||this.goal.run===null&&this.state.trials.trials.length>0)await n,t.throwIfAborted(),this.showRuns();else{let a=this.goal.run??i[0]?.name;if(a===void 0){this.set({run:null,view:`empty`});return}let{view:o,report:l}=this.state;(a!==l?.run||o!==`report`)&&this.leaveSoon(a),this.wanted??=c(this.goal)?s(this.goal):this.host.recall(a);let[u]=await Promise.all([this.ask(a,this.wanted,t,e),n,r]);t.throwIfAborted(),this.present(a,u)}}catch(e){t.aborted||this.fail(e)}t.aborted||zt(()=>this.listAgain())}showRuns(){let e=this.state.round+1,t=Rt(this.goal);this.set({view:`runs`,run:null,address:this.goal,board:t,round:e,said:`The runs are shown.`}),this.host.writeAddress(this.goal)}async list(){this.listed=!0;let[e,t]=await Promise.all([this.backend.runs(),this.backend.trials().catch(()=>this.state.trials)]);return JSON.stringify(e)!==JSON.stringify(this.state.runs)&&this.set({runs:e}),JSON.stringify(t)!==JSON.stringify(this.state.trials)&&this.set({trials:t}),e}listAgain(){this.listed||this.list().catch(()=>void 0)}async learnWords(){try{yt(await this.backend.glossary())}catch{this.words=null}}leaveSoon(e){let{view:t}=this.state;t===`report`||t===`runs`?this.leaving=window.setTimeout(()=>this.leaveFor(e),Nt):this.leaveFor(e)}leaveFor(e,t={}){clearTimeout(this.leaving);let n={...this.goal,run:e};this.set({run:e,address:n,progress:null,access:null,view:`waiting`,said:``,...t}),this.host.writeAddress(n)}async ask(e,t,n,o){let s=t=>{this.listAgain(),this.state.recomputing||this.leaveFor(e,{progress:t})},c=t=>this.backend.report({run:e,...t,...o?{again:o}:{}},s,n),l=a;try{return{report:await c(t),typed:t,refused:l}}catch(e){if(!Vt(e))throw e}let u=this.state.run===e?this.state.typed:r;for(let e of i){let n=t[e];if(n!==u[e])try{await c({...u,[e]:n}),u={...u,[e]:n}}catch(t){if(!Vt(t))throw t;l={...l,[e]:{text:n??``,message:t.message}}}}return{report:await c(u),typed:u,refused:l}}present(e,{report:t,typed:n,refused:r}){clearTimeout(this.leaving);let{state:a}=this,o=a.view!==`report`||e!==a.run,s=o?[]:i.filter(e=>!this.retyped.has(e)&&!r[e]&&a.refused[e]);a.recomputing&&this.host.keep(e,n),this.wanted=n,this.retyped.clear(),this.goal={...this.goal,run:e,...n},performance.mark(`tfperf:report`);let c=!o&&JSON.stringify(t)===JSON.stringify(a.report);this.set({view:`report`,run:e,report:c?a.report:t,said:c?a.said:`The report of ${e} is shown.`,address:this.goal,typed:n,refused:s.reduce((e,t)=>({...e,[t]:a.refused[t]}),r),recomputing:!1,marks:o?this.host.marks(e):a.marks,...o?{access:null,target:null,kept:null,hovered:null,owner:null}:{}}),this.host.writeAddress(this.goal),zt(()=>{performance.mark(`tfperf:painted`),this.backend.traceAccess(e).then(t=>{this.state.run===e&&this.set({access:t})})})}fail(e){let t=e instanceof v?e:new v(e instanceof Error?e.message:String(e),`internal`);clearTimeout(this.leaving);let n=this.goal.run??this.state.run;this.set({run:n,address:this.goal,error:t,recomputing:!1,view:`failed`}),this.host.writeAddress(this.goal)}};function Rt({sort:e,filter:t,only:n,row:r,pair:i,trial:a}){return{sort:e,filter:t,only:n,row:r,pair:i,trial:a}}function zt(e){requestAnimationFrame(()=>setTimeout(e))}function Bt(e,t){let n=[`finding`,`step`,`zoom`];return Object.keys(e).every(r=>n.includes(r)||e[r]===t[r])}function Vt(e){return e instanceof v&&e.kind===`bad_request`}var E=`\xA0`,Ht=[[`s`,1e9,1e9,100],[`ms`,1e6,1e5,100],[`µs`,1e3,1e3,10]],Ut=[[`T`,0xe8d4a51000],[`G`,1e9],[`M`,1e6],[`k`,1e3]],Wt=new Intl.NumberFormat(`en-US`),Gt=new Intl.NumberFormat(`en-US`,{minimumFractionDigits:1,maximumFractionDigits:1});function Kt(e){let t=Math.abs(e);return t===0?`0`:t>=999.5?Wt.format(Math.round(e)):t>=99.95?e.toFixed(0):t>=.95?e.toFixed(1):Number(e.toPrecision(2)).toString()}function D(e){if(e===0)return`0${E}ms`;for(let[t,n,r,i]of Ht){if(Math.abs(e)<r*.9995)continue;let[a,o]=[e/n,Math.abs(e/n)],s=o<(t===`s`?9.995:.995)?2:+(o<i-.05);return`${o>=999.5?Wt.format(Math.round(a)):a.toFixed(s)}${E}${t}`}return`${Math.round(e)}${E}ns`}function qt(e,t){let[n,r]=Ht.find(([,,e])=>t>=e)??[`ns`,1],i=Math.max(0,-Math.floor(Math.log10(e/r)+1e-9));return e=>e===0?D(0):`${Xt(e/r,i)}${E}${n}`}function Jt(e){return`${Xt(e,Number.isInteger(e)||e>=99.95?0:e>=9.995?1:2)}×`}function Yt(e){return`${Gt.format(e)}${E}ms`}function O(e,t){for(let n of[1,2,3]){let[r,i]=[e,t].map(e=>Xt(e,n));if(r!==i)return`${r}–${i}${E}ms`}return Yt(e)}function Xt(e,t){return e.toLocaleString(`en-US`,{minimumFractionDigits:t,maximumFractionDigits:t})}function Zt(e,t){let[n,r]=[D(e),D(t)],i=r.slice(r.search(/\s/));return n===r?r:`${n.endsWith(i)?n.slice(0,-i.length):n}–${r}`}function k(e){let t=100*e;if(t>0&&t<.05)return`<0.1${E}%`;let n=t===0||t>=9.95&&t<99||t>=99.95;return`${t.toFixed(+!n)}${E}%`}function Qt(e){return`${e<0?`−`:e>0?`+`:``}${k(Math.abs(e))}`}function A(e){for(let[t,n]of Ut)if(Math.abs(e)>=n*.9995)return`${Kt(e/n)}${E}${t===`k`?`kB`:`${t}B`}`;return`${Math.round(e)}${E}B`}function $t(e){let[t,n]=Ut.find(([,t])=>e>=t*.9995)??[``,1];return`${Kt(e/n)}${E}${t}FLOP/s`}function en(e){return`${Kt(e)}${E}FLOP/byte`}function j(e){return Number.isInteger(e)?Wt.format(e):Kt(e)}function tn(e){for(let[t,n]of Ut)if(e>=n*.9995)return`${Kt(e/n)}${E}${t===`G`?`billion`:t}`;return j(e)}function M(e,t){if(typeof e==`string`)return e;switch(t){case`ns`:return D(e);case`ratio`:return k(e);case`count`:return j(e);case`bytes`:return A(e);case`GB/s`:return`${j(e)}${E}GB/s`;case`per_step`:return`${j(e)} per step`;case`times`:return Jt(e);case`bytes/s`:return`${A(e)}/s`;case`Hz`:return`${Wt.format(Math.round(e/1e6))}${E}MHz`;case`W`:case`°C`:case`cores`:return`${Kt(e)}${E}${t}`;case`FLOP/s`:return $t(e);case`more_ns`:return cn(e);case`text`:case`name`:case`mark`:return String(e)}}var nn={ns:[[`s`,1e9],[`ms`,1e6],[`µs`,1e3],[`ns`,1]],bytes:[[`GB`,1e9],[`MB`,1e6],[`kB`,1e3],[`B`,1]]};function rn(e,t){let n=e=>String(Number(e.toPrecision(6)));if(t===`ratio`)return`${n(e*100)} %`;let r=(t===`ns`||t===`bytes`?nn[t]:[]).find(([,t])=>e>=t);return r?`${n(e/r[1])} ${r[0]}`:`${n(e)}${t===`times`?`×`:``}`}function an({value:e,threshold:t,unit:n}){return t===null?``:`${typeof e==`number`?e<t?`≤`:`≥`:`threshold`}${E}${M(t,n)}`}function N(e){return e.replace(/(\d) (?=(?:%|×|[mµn]?s|min|h|[kMGT]?B)(?!\w))/g,`$1${E}`).replace(/([≥≤]) (?=\d)/g,`$1${E}`)}function P(e,t,n=`${t}s`){return`${j(e)} ${e===1?t:n}`}function F(e){return/^GPU:\d+$/.test(e)?e.replace(`:`,` `):e}function on({host:e,device:t},n){return n&&e?`${e} ${F(t)}`:F(t)}function sn({step:e,device:t,stream:n,host:r,begin_ms:i,end_ms:a}){return[e===null?``:`step ${e}`,t===null?``:F(t),n,r,O(i,a)].filter(Boolean).join(` · `)}function cn(e){return e===0?D(0):`${e>0?`+`:`−`}${D(Math.abs(e))}`}function ln({kinds:e}){return e.map(({name:e,count:t})=>`${t}${E}×${E}${e||`GPU`}`).join(`, `)}var un=72;function dn(e,t=un,n=.35){if(e.length<=t)return e;let r=Math.ceil(n*(t-1));return`${e.slice(0,r)}…${e.slice(e.length-(t-1-r))}`}window.JSCompiler_renameProperty=function(e,t){return e};var fn=0;function pn(){}pn.prototype.__mixinApplications,pn.prototype.__mixinSet;var mn=function(e){let t=e.__mixinApplications;t||(t=new WeakMap,e.__mixinApplications=t);let n=fn++;function r(r){let i=r.__mixinSet;if(i&&i[n])return r;let a=t,o=a.get(r);if(!o){o=e(r),a.set(r,o);let t=Object.create(o.__mixinSet||i||null);t[n]=!0,o.__mixinSet=t}return o}return r},hn=0;function gn(){hn++}var _n=[];function vn(e){_n.push(e)}var yn=0,bn=0,xn=[],Sn=0,Cn=!1,wn=document.createTextNode(``);new window.MutationObserver(Tn).observe(wn,{characterData:!0});function Tn(){Cn=!1;let e=xn.length;for(let t=0;t<e;t++){let e=xn[t];if(e)try{e()}catch(e){setTimeout(()=>{throw e})}}xn.splice(0,e),bn+=e}var En={run(e){return Cn||(Cn=!0,wn.textContent=Sn++),xn.push(e),yn++},cancel(e){let t=e-bn;if(t>=0){if(!xn[t])throw Error(`invalid async handle: `+e);xn[t]=null}}},Dn=window.ShadyDOM&&window.ShadyDOM.noPatch&&window.ShadyDOM.wrap?window.ShadyDOM.wrap:window.ShadyDOM?e=>ShadyDOM.patch(e):e=>e,On=En,kn=mn(e=>{class t extends e{static createProperties(e){let t=this.prototype;for(let n in e)n in t||t._createPropertyAccessor(n)}static attributeNameForProperty(e){return e.toLowerCase()}static typeForProperty(e){}_createPropertyAccessor(e,t){this._addPropertyToAttributeMap(e),this.hasOwnProperty(JSCompiler_renameProperty(`__dataHasAccessor`,this))||(this.__dataHasAccessor=Object.assign({},this.__dataHasAccessor)),this.__dataHasAccessor[e]||(this.__dataHasAccessor[e]=!0,this._definePropertyAccessor(e,t))}_addPropertyToAttributeMap(e){this.hasOwnProperty(JSCompiler_renameProperty(`__dataAttributes`,this))||(this.__dataAttributes=Object.assign({},this.__dataAttributes));let t=this.__dataAttributes[e];return t||(t=this.constructor.attributeNameForProperty(e),this.__dataAttributes[t]=e),t}_definePropertyAccessor(e,t){Object.defineProperty(this,e,{get(){return this.__data[e]},set:t?function(){}:function(t){this._setPendingProperty(e,t,!0)&&this._invalidateProperties()}})}constructor(){super(),this.__dataEnabled=!1,this.__dataReady=!1,this.__dataInvalid=!1,this.__data={},this.__dataPending=null,this.__dataOld=null,this.__dataInstanceProps=null,this.__dataCounter=0,this.__serializing=!1,this._initializeProperties()}ready(){this.__dataReady=!0,this._flushProperties()}_initializeProperties(){for(let e in this.__dataHasAccessor)this.hasOwnProperty(e)&&(this.__dataInstanceProps=this.__dataInstanceProps||{},this.__dataInstanceProps[e]=this[e],delete this[e])}_initializeInstanceProperties(e){Object.assign(this,e)}_setProperty(e,t){this._setPendingProperty(e,t)&&this._invalidateProperties()}_getProperty(e){return this.__data[e]}_setPendingProperty(e,t,n){let r=this.__data[e],i=this._shouldPropertyChange(e,t,r);return i&&(this.__dataPending||(this.__dataPending={},this.__dataOld={}),this.__dataOld&&!(e in this.__dataOld)&&(this.__dataOld[e]=r),this.__data[e]=t,this.__dataPending[e]=t),i}_isPropertyPending(e){return!!(this.__dataPending&&this.__dataPending.hasOwnProperty(e))}_invalidateProperties(){!this.__dataInvalid&&this.__dataReady&&(this.__dataInvalid=!0,On.run(()=>{this.__dataInvalid&&(this.__dataInvalid=!1,this._flushProperties())}))}_enableProperties(){this.__dataEnabled||(this.__dataEnabled=!0,this.__dataInstanceProps&&=(this._initializeInstanceProperties(this.__dataInstanceProps),null),this.ready())}_flushProperties(){this.__dataCounter++;let e=this.__data,t=this.__dataPending,n=this.__dataOld;this._shouldPropertiesChange(e,t,n)&&(this.__dataPending=null,this.__dataOld=null,this._propertiesChanged(e,t,n)),this.__dataCounter--}_shouldPropertiesChange(e,t,n){return!!t}_propertiesChanged(e,t,n){}_shouldPropertyChange(e,t,n){return n!==t&&(n===n||t===t)}attributeChangedCallback(e,t,n,r){t!==n&&this._attributeToProperty(e,n),super.attributeChangedCallback&&super.attributeChangedCallback(e,t,n,r)}_attributeToProperty(e,t,n){if(!this.__serializing){let r=this.__dataAttributes,i=r&&r[e]||e;this[i]=this._deserializeValue(t,n||this.constructor.typeForProperty(i))}}_propertyToAttribute(e,t,n){this.__serializing=!0,n=arguments.length<3?this[e]:n,this._valueToNodeAttribute(this,n,t||this.constructor.attributeNameForProperty(e)),this.__serializing=!1}_valueToNodeAttribute(e,t,n){let r=this._serializeValue(t);(n===`class`||n===`name`||n===`slot`)&&(e=Dn(e)),r===void 0?e.removeAttribute(n):e.setAttribute(n,r===``&&window.trustedTypes?window.trustedTypes.emptyScript:r)}_serializeValue(e){switch(typeof e){case`boolean`:return e?``:void 0;default:return e?.toString()}}_deserializeValue(e,t){switch(t){case Boolean:return e!==null;case Number:return Number(e);default:return e}}}return t});function An(e){let t={};for(let n in e){let r=e[n];t[n]=typeof r==`function`?{type:r}:r}return t}var jn=mn(e=>{let t=kn(e);function n(e){let t=Object.getPrototypeOf(e);return t.prototype instanceof i?t:null}function r(e){if(!e.hasOwnProperty(JSCompiler_renameProperty(`__ownProperties`,e))){let t=null;if(e.hasOwnProperty(JSCompiler_renameProperty(`properties`,e))){let n=e.properties;n&&(t=An(n))}e.__ownProperties=t}return e.__ownProperties}class i extends t{static get observedAttributes(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__observedAttributes`,this))){vn(this.prototype);let e=this._properties;this.__observedAttributes=e?Object.keys(e).map(e=>this.prototype._addPropertyToAttributeMap(e)):[]}return this.__observedAttributes}static finalize(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__finalized`,this))){let e=n(this);e&&e.finalize(),this.__finalized=!0,this._finalizeClass()}}static _finalizeClass(){let e=r(this);e&&this.createProperties(e)}static get _properties(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__properties`,this))){let e=n(this);this.__properties=Object.assign({},e&&e._properties,r(this))}return this.__properties}static typeForProperty(e){let t=this._properties[e];return t&&t.type}_initializeProperties(){gn(),this.constructor.finalize(),super._initializeProperties()}connectedCallback(){super.connectedCallback&&super.connectedCallback(),this._enableProperties()}disconnectedCallback(){super.disconnectedCallback&&super.disconnectedCallback()}}return i}),Mn=`input:not([type=checkbox]):not([type=radio]), select, textarea, [contenteditable]`,Nn=`tfperf.keys`;function Pn(n=e){return t(Nn,n).off!==!0}function Fn(t,r=e){n(Nn,{off:!t||null},r)}function In(e){let t=e.composedPath(),[n]=t,r=n instanceof Element&&n.matches(Mn),i=t.some(e=>e instanceof HTMLDialogElement),a=e.ctrlKey||e.metaKey||e.altKey;return!r&&!i&&!a&&!e.defaultPrevented&&(e.key.length>1||Pn())}var I=String.raw,Ln=I`
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
    scroll-padding-top: ${93}px;
  }
  body {
    margin: 0;
  }
`,Rn=I`
  :host {
    color: var(--ink);
    display: block;
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
  ul {
    list-style: none;
    padding: 0;
  }
  h2 {
    font-size: 16px;
    font-weight: 600;
    line-height: 1.4;
  }
  h3 {
    font-size: 14px;
    font-weight: 600;
    line-height: 1.4;
  }
  h3 small {
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
    line-height: 24px;
    overflow-wrap: anywhere;
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
    border: 0;
    border-radius: 6px;
    color: var(--page);
    font-size: 12.5px;
    font-weight: 400;
    inset: auto;
    line-height: 18px;
    margin: 0;
    max-width: min(420px, 80vw);
    padding: 4px 10px;
    pointer-events: none;
    position: fixed;
    text-transform: none;
    white-space: normal;
    width: max-content;
    z-index: 4;
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
  select {
    background: var(--page);
    border: 1px solid var(--control-line);
    border-radius: 6px;
    max-width: 100%;
    padding: 4px 8px;
  }
  /* The label of what picks one of several. */
  .picks {
    align-items: center;
    display: flex;
    font-size: 13px;
    gap: 8px;
    margin: 6px 0;
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    font-size: 13px;
    gap: 4px 20px;
    margin-top: 12px;
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
  /* Charts. */
  #chart {
    position: relative;
  }
  :where(#chart) svg {
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
  .mark {
    fill: var(--ink);
    font-size: 12px;
    paint-order: stroke;
    pointer-events: none;
    stroke: var(--page);
    stroke-width: 3px;
  }
  .tick.end,
  .mark.end {
    text-anchor: end;
  }
  .axis {
    color: var(--ink-2);
    font-size: 11.5px;
    position: relative;
  }
  .axis span {
    position: absolute;
    transform: translateX(-50%);
    white-space: nowrap;
  }
  .legend i.dashed {
    border-top: 2px dashed var(--ink-2);
  }
  /* Choices beside each other. */
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
  /* How bad it is, as a pill. */
  .pill {
    border-radius: 10px;
    font-size: 12.5px;
    font-weight: 600;
    white-space: nowrap;
  }
  .pill.critical {
    background: var(--critical-ground);
    color: var(--critical);
  }
  .pill.warning {
    background: var(--warning-ground);
    color: var(--warning);
  }
  .pill.info {
    background: var(--info-ground);
    color: var(--info);
  }
  .unseen {
    clip-path: inset(50%);
    height: 1px;
    overflow: hidden;
    position: absolute;
    white-space: nowrap;
    width: 1px;
  }
`,L=class extends jn(HTMLElement){static{this.styles=``}constructor(){super(),this.drawnWith={},this.hear=e=>{In(e)&&this.onPageKey?.(e)};let{styles:e}=this.constructor;this.attachShadow({mode:`open`}).adoptedStyleSheets=[Bn(Rn),Bn(e)]}connectedCallback(){super.connectedCallback(),this.onPageKey&&document.addEventListener(`keydown`,this.hear)}disconnectedCallback(){super.disconnectedCallback(),document.removeEventListener(`keydown`,this.hear)}drawNow(){this._flushProperties()}_shouldPropertiesChange(e,t){return!this.shadowRoot.hasChildNodes()||this.undrawn(e,t).length>0}_propertiesChanged(e,t,n){let r=Object.fromEntries(this.undrawn(e,t).map(e=>[e,this.drawnWith[e]]));this.changed?.(r),this.drawnWith={...e},st(this.template(),this.shadowRoot,{host:this}),this.drawn?.(r)}undrawn(e,t){return Object.keys(t??{}).filter(t=>e[t]!==this.drawnWith[t])}child(e){return this.shadowRoot.getElementById(e)}},zn=new Map;function Bn(e){let t=zn.get(e);return t||(zn.set(e,t=new CSSStyleSheet),t.replaceSync(e)),t}function Vn(e,t,n={}){let r={...n};return R(e,t,r),r.answer}function R(e,t,n=null){e.dispatchEvent(new CustomEvent(t,{bubbles:!0,composed:!0,detail:n}))}var Hn=[{id:`html`,words:`HTML`,note:`one file that needs nothing else`},{id:`markdown`,words:`Markdown`,note:`for a pull request or a wiki`},{id:`json`,words:`JSON`,note:`all numbers`}],Un=class extends L{constructor(...e){super(...e),this.run=null,this.typed=null,this.shown=!1}static{this.styles=I`
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
  `}static{this.properties={run:String,typed:Object,shown:Boolean}}template(){let{run:e,typed:t,shown:n}=this,r=n=>e&&t?le(document.baseURI,e,t,n):C;return S`
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
        ${Hn.map(({id:e,words:t,note:n})=>S`<a role="menuitem" tabindex="-1" href=${r(e)} download>${t}<span>${n}</span></a>`)}
      </div>
    `}ready(){super.ready(),this.addEventListener(`focusout`,({relatedTarget:e})=>{e instanceof Node&&this.contains(e)||(this.shown=!1)})}onOpen(){this.shown=!this.shown,this.shown&&this.focusItem(0)}onHide(){this.shown=!1,this.shadowRoot.querySelector(`button`)?.focus()}onButtonKey(e){(e.key===`ArrowDown`||e.key===`ArrowUp`)&&(e.preventDefault(),this.shown=!0,this.focusItem(e.key===`ArrowDown`?0:-1))}onKey(e){let t=this.items(),n=t.indexOf(this.shadowRoot.activeElement);if(e.key===`Escape`||e.key===`Tab`){this.onHide();return}e.key===` `&&t[n]?.click();let r={ArrowDown:n+1,ArrowUp:n-1,Home:0,End:-1," ":null}[e.key];r!==void 0&&(e.preventDefault(),r!==null&&this.focusItem(r))}focusItem(e){this.drawNow();let t=this.items();t[(e+t.length)%t.length]?.focus()}items(){return[...this.shadowRoot.querySelectorAll(`#menu a`)]}};customElements.define(`tfperf-export`,Un);var Wn=new Map([[`idle.stagger`,`Launch skew`,`stagger`,`falling`],[`compute`,`Compute`,`compute`,`solid`],[`compute.floor`,`Compute at the GPU’s limit`,`compute`,`solid`],[`compute.recoverable`,`Compute that could be won`,`recoverable`,`bars`],[`compute.not_judged`,`Compute not judged`,`unknown`,`rising`],[`communication.transfer`,`Exposed transfer`,`transfer`,`solid`],[`communication.wait`,`Straggler wait`,`wait`,`rising`],[`copy.h2d`,`H2D copy`,`copy`,`solid`],[`copy.d2h`,`D2H copy`,`copy`,`falling`],[`copy.d2d`,`D2D copy`,`copy`,`dots`],[`idle.input`,`Input wait`,`input`,`rising`],[`idle.launch`,`Launch wait`,`launch`,`dots`],[`idle.dispatch`,`Op dispatch`,`launch`,`rising`],[`idle.compile`,`Compile wait`,`compile`,`cross`],[`idle.startup`,`Start-up`,`compile`,`dots`],[`idle.host_op`,`CPU op wait`,`host-op`,`bars`],[`idle.sync`,`Host sync`,`sync`,`falling`],[`idle.between_steps`,`Step gap`,`between`,`cross`],[`idle.unknown`,`Unattributed idle`,`unknown`,`dots`]].map(([e,t,n,r])=>[e,{words:t,colour:`--account-${n}`,pattern:r}])),Gn={"host.compile":[`tracing or compiling`,`compile`,`cross`],"host.input":[`the step waits for its batch`,`input`,`rising`],"host.sync":[`waits for a GPU`,`sync`,`falling`],"host.callback":[`callbacks, metrics, checkpoints`,`between`,`cross`],"host.eager":[`ops that Python runs one by one`,`between`,`dots`],"host.step":[`inside the step’s function`,`unknown`,`solid`],"host.launch":[`launches kernels`,`launch`,`solid`],"host.op":[`an op of the step runs on the CPU`,`host-op`,`bars`],"host.pipeline":[`the input pipeline works`,`input`,`solid`],"host.ops":[`Ops on the CPU`,`host-op`,`bars`],"host.between":[`Framework between ops`,`launch`,`solid`],"host.rest":[`Python, callbacks and the rest`,`between`,`cross`]},Kn=[...Wn.keys()];function z(e){let t=Gn[e];return t?{words:t[0],colour:`--account-${t[1]}`,pattern:t[2]}:Wn.get(e)??{words:qn(e),colour:`--account-unknown`,pattern:`solid`}}function qn(e){return e.slice(e.indexOf(`.`)+1).replaceAll(`_`,` `)}function Jn(e){let t=e=>(Kn.indexOf(e)+Kn.length+1)%(Kn.length+1);return e.filter(e=>e.ns>0).sort((e,n)=>t(e.id)-t(n.id))}function Yn(e,t){let n=Jn(e),r=({id:e})=>e===`idle.stagger`,i=0;return[...n.filter(e=>!r(e)),...n.filter(r)].map(({id:e,ns:n})=>{let r=`${z(e).words}: ${D(n)}, ${k(n/Math.max(1,t))}`,a={account:e,ns:n,begin_ns:i,owner:0,words:r};return i+=n,a})}function Xn(e,t,n){let r=0,i=e.filter(({owner:e})=>!t.has(e)).map(e=>{let t={...e,begin_ns:r};return r+=e.ns,t});if(r>=n)return i;let a=n-r,o=`${z(`idle.input`).words}: ${D(a)}`;return[...i,{account:`idle.input`,ns:a,begin_ns:r,owner:0,words:o}]}function Zn({input:e,findings:t},n,r){return t.some(({id:e,saving:t})=>t?.frees_input&&n.includes(e))?0:Math.min(e?.needed_ns??0,r)}function B(e){return e.reduce((e,{ns:t})=>e+t,0)}function Qn(e,t){let n=t.map(({id:e})=>e);if(e===`none`)return[];let r=n.filter(t=>(e??``).split(`,`).includes(t));return r.length>0?r:n}function $n(e,t){return e.length===t.length?null:e.join(`,`)||`none`}function er(e,t){return t>0&&e>t?Jt(e/t):``}function tr({devices:e}){return e.filter(({participates:e})=>e)}function nr(e){let{budget:t,host_time:n,findings:r}=e;return t?t.heading:n?`Time on the CPU`:tr(e).length>0?`Shares of the recording`:r.length>0?`All findings`:null}function rr({budget:e,ledger:t,steps:n,hosts:r,machines_count:i}){let a=n.groups.some(({name:e})=>e.endsWith(` steps`))?1:t?.devices_total??0;return[...(e?.divisions??[]).map(({name:e},t)=>({id:String(t),words:e})),...e?.rare?[{id:`rare`,words:e.rare.name}]:[],...r.length>1&&a>r.length?[{id:`hosts`,words:`Each host`}]:[],...a>1?[{id:`gpus`,words:a===i?`Each host`:`Each GPU`}]:[],...n.columns.filter(or).length>1?[{id:`steps`,words:`Each step`}]:[]]}function ir({budget:e,findings:t}){let n=Object.keys(t[0]?.saving?.accounts??{}),r=(e?.divisions??[]).map(({blocks:e})=>B(e.filter(({account:e})=>n.includes(e))));return String(Math.max(r.indexOf(Math.max(...r)),0))}function ar({divisions:e,rare:t},n){return(n===`rare`?t:e[Number(n)])??e[0]??null}function or({judged:e,step_ns:t,accounts:n}){return e&&t>0&&Object.keys(n).length>0}function sr({ledger:e,steps:t,hosts:n},r){let i=n.length>1,a=e?.devices??[];switch(r){case`gpus`:return a.map(({host:e,device:t,step_ns:n,accounts:r})=>({name:on({host:e,device:t},i),step_ns:n,blocks:Yn(r,n)}));case`hosts`:return n.flatMap(e=>cr(e,a.filter(({host:t})=>t===e))??[]);case`steps`:return t.columns.filter(or).map(({number:e,step_ns:t,accounts:n})=>({name:`Step ${e}`,step_ns:t,blocks:Yn(Object.entries(n).map(([e,t])=>({id:e,ns:t})),t)}));default:return[]}}function cr(e,t){if(t.length===0)return null;let n=new Map;for(let{id:e,ns:r}of t.flatMap(({accounts:e})=>e))n.set(e,(n.get(e)??0)+r);let r=[...n].map(([e,n])=>({id:e,ns:n/t.length}));return{name:e,step_ns:B(r),blocks:Yn(r,B(r))}}function lr({gpus:e,hosts:t}){let n=(e,n,r)=>{let i=e.map(e=>on(e,t.length>1));return n>0?[`${i.join(`, `)}${n>i.length?` …`:``}: ${r}.`]:[]};return[...n(e.idle,e.idle_total,`ran no kernel`),...n(e.unrecorded,e.unrecorded_total,`no kernel was recorded`)].join(` `)}function ur({sections:e},t){return(e.find(e=>e.id===t)?.blocks??[]).filter(e=>e.kind===`table`)}function V({sections:e},t){return e.flatMap(({blocks:e})=>e.filter(e=>e.kind===`table`)).find(e=>e.id===t)??null}function dr({columns:e,rows:t}){return t.map(t=>Object.fromEntries(e.map(({id:e},n)=>[e,t[n]??null])))}function fr({unit:e}){return e===`name`||e===`text`||e===`mark`}function pr(e,{unit:t,none:n}){return e===null||e===``?n:M(e,t)}function mr(e){return e.filter(e=>typeof e==`string`).join(`
`).toLowerCase()}function hr({columns:e,rows:t,chosen_by:n}){let r=e.findIndex(({id:e})=>e===n),i=t.flatMap(e=>String(e[r]??``).split(`, `));return[...new Set(i)].filter(Boolean)}function gr({columns:e,rows:t,chosen_by:n},{choice:r,text:i}){let a=e.findIndex(({id:e})=>e===n),o=i.toLowerCase().split(/\s+/).filter(Boolean);return t.filter(e=>{if(r!==``&&!String(e[a]??``).split(`, `).includes(r))return!1;let t=mr(e);return o.every(e=>t.includes(e))})}var _r={communication:`Communication`,hosts:`Hosts`,kernels:`Kernels`,input:`Input pipeline`,memory:`GPU memory`,machine:`Machine`,checks:`Checks`,training:`Training record`};function vr(e,t){return e===`kernels`&&!V(t,`kernels`)?`Ops on the host`:_r[e]}function yr(e){return e.startsWith(`communication.`)?`communication`:e===`compute`?`kernels`:e===`idle.input`?`input`:null}var br=.25;function xr({id:e,group:t,saving:n}){let r=Object.entries(n?.accounts??{}).filter(([,e])=>e>=br*(n?.ns??0)).flatMap(([e])=>yr(e)??[]);return t===`input`&&r.push(`input`),t===`machine`&&r.push(`machine`),t===`precision`&&r.push(`kernels`),e===`slow-host`&&r.push(`hosts`),/^(memory|allocator)-/.test(e)&&r.push(`memory`),r}function Sr({findings:e,ledger:t,sections:n,settled:r},i){let a=[e[0],i].flatMap(e=>e?xr(e):[]);return r||a.push(`communication`),t||a.push(`input`),new Set(n.map(({id:e})=>e).filter(e=>a.includes(e)))}function Cr({steps:e,gpus:t,hosts:n,machines_count:r,timing:i,source:a,viewer:o}){let s=i.reduce((e,{ns:t})=>e+t,0);return[t.total>0?ln(t):`no GPU`,n.length===1?`host ${n[0]}`:r<n.length?`${n.length} processes on ${P(r,`host`)}`:P(n.length,`host`),P(e.count,`step`),o===`XProf`?``:a,s>0?`analyzed in ${D(s)}`:``].filter(Boolean)}function wr(e){let t=nr(e),n=t===`All findings`?`Selected finding`:`Finding`;return[...t===null?[]:[{id:`budget`,words:t}],...e.findings.length>0?[{id:`finding`,words:n}]:[],...e.sections.map(({id:t})=>({id:t,words:vr(t,e)}))]}function Tr(e,t){return e.filter(([,e])=>e<=t).at(-1)?.[0]??e[0]?.[0]??null}var Er={budget:`tfperf-budget`,finding:`tfperf-finding-timeline`},Dr=class extends L{constructor(...e){super(...e),this.runs=[],this.trials=0,this.run=null,this.base=null,this.report=null,this.typed=r,this.current=null,this.look=()=>this.lookAgain()}static{this.styles=I`
    :host {
      background: var(--page);
      border-bottom: 1px solid var(--line);
      margin: 0 -24px;
      padding: 0 24px;
      position: sticky;
      top: 0;
      z-index: 4;
    }
    .run-bar {
      align-items: center;
      display: flex;
      gap: 12px;
      height: 44px;
    }
    .button {
      flex: none;
      padding: 3px 10px;
      white-space: nowrap;
    }
    .run {
      font-weight: 600;
    }
    .run,
    .base {
      flex: 0 1 auto;
      max-width: 420px;
      min-width: 80px;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    /* What does not fit the line wraps out of sight, as a whole. */
    .about {
      display: flex;
      flex: 1 1 0;
      flex-wrap: wrap;
      gap: 0 16px;
      height: 20px;
      justify-content: end;
      line-height: 20px;
      max-width: none;
      min-width: 0;
      overflow: hidden;
    }
    .about span {
      max-width: 100%;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    tfperf-export {
      flex: none;
    }
    @media (max-width: 640px) {
      .base,
      .about {
        display: none;
      }
      .run {
        flex-grow: 1;
        min-width: 0;
      }
    }
    nav {
      display: flex;
      gap: 2px;
      height: 36px;
      margin-left: -10px;
      overflow-x: auto;
      scrollbar-width: none;
    }
    nav .part {
      border-bottom: 2px solid transparent;
      color: var(--ink-2);
      flex: none;
      font-size: 13px;
      padding: 0 10px;
    }
    nav .part:hover {
      color: var(--ink);
    }
    nav .part[aria-current] {
      border-color: var(--accent);
      color: var(--ink);
      font-weight: 500;
    }
    nav .part:focus-visible {
      outline-offset: -2px;
    }
  `}static{this.properties={runs:Array,trials:Number,run:String,base:String,report:Object,typed:Object,current:String}}template(){let{run:e,base:t,report:n}=this,r=n?Cr(n):[],i=this.runs.some(({name:e})=>e!==this.run);return S`
      <div class="run-bar">
        <button
          class="button"
          ?hidden=${!i&&this.trials===0}
          title="All runs (r)"
          @click=${()=>R(this,`go-to-runs`)}
        >
          ‹ Runs
        </button>
        <span class="unseen">Run:</span>
        <span class="run name" title=${e??``}>${e}</span>
        ${t===null||t===e?C:S`<span class="base name note" title=${t}>Baseline ★ ${t}</span>`}
        <button
          class="button"
          ?hidden=${!i}
          aria-pressed=${t===e}
          title="Compare other runs with this one (p)"
          @click=${()=>R(this,`base-change`,{base:t===e?null:e})}
        >
          ${t===e?`★ Baseline`:`☆ Pin as baseline`}
        </button>
        <p class="about note" title=${r.join(` · `)}>${r.map(e=>S`<span>${e}</span>`)}</p>
        <tfperf-export .run=${e} .typed=${this.typed} ?hidden=${!n}></tfperf-export>
      </div>
      ${n?S`<nav aria-label="Parts of the report">${wr(n).map(e=>this.link(e))}</nav>`:C}
    `}link({id:e,words:t}){return S`<button
      class="bare part"
      data-part=${e}
      aria-label="Go to ${t}"
      aria-current=${this.current===e?`true`:C}
      @click=${()=>this.goTo(e)}
    >
      ${t}
    </button>`}connectedCallback(){super.connectedCallback();for(let e of[`scroll`,`resize`,`focusin`])window.addEventListener(e,this.look,{passive:!0})}disconnectedCallback(){super.disconnectedCallback();for(let e of[`scroll`,`resize`,`focusin`])window.removeEventListener(e,this.look)}drawn(){this.current===null&&this.report&&this.look()}goTo(e){Er[e]?Or(this.top(e))?.focus():this.sections()?.show(e),this.top(e)?.scrollIntoView({block:`start`}),this.lookAgain()}top(e){let t=Er[e];return t?this.getRootNode().querySelector(t):this.sections()?.shadowRoot.getElementById(e)??null}sections(){return this.getRootNode().querySelector(`tfperf-sections`)}lookAgain(){if(!this.report)return;let e=wr(this.report).flatMap(({id:e})=>{let t=this.top(e);return t?[{id:e,top:t,from:t.getBoundingClientRect().top}]:[]}),t=e.find(({top:e,from:t})=>e.matches(`:focus-within`)&&t>=0&&t<innerHeight);this.current=t?.id??Tr(e.map(({id:e,from:t})=>[e,t]),121)}};function Or(e){let t=e?.shadowRoot;if(!t)return null;for(let e of t.querySelectorAll(`*`)){if(e.matches(`h2, h3`))return e.tabIndex=-1,e;let t=Or(e);if(t)return t}return null}customElements.define(`tfperf-bar`,Dr);function H(e){let t=e/5,n=10**Math.floor(Math.log10(t)),r=([1,2,5,10].find(e=>e*n>=t)??10)*n;return Array.from({length:Math.floor(e/r)+1},(e,t)=>t*r)}function kr(e,t,n=9){let r=Math.floor(Math.log10(e)),i=Math.ceil(Math.log10(t)),a=Math.max(1,Math.ceil((i-r-1)/n)),o=i-r<=3?[1,2,5]:[1];return Array.from({length:i-r+1},(e,t)=>r+t).filter(e=>e%a===0).flatMap(e=>o.map(t=>t*10**e)).filter(n=>n>=e&&n<=t)}function Ar(e,t,n){return Math.log(e/t)/Math.log(n/t)}var jr=2;function Mr(e){let t=e=>Math.max(...e.map(({ns:e})=>e),1),n=e.filter(({judged:e,outlier:t})=>e&&!t),r=n.length>0?Math.min(t(e),jr*t(n)):t(e);return e=>Math.max(e/r,1/32)}function Nr(e,t,n){let r=e.map((e,t)=>t).sort((t,n)=>(e[t]??0)-(e[n]??0)),i=[...e],a=-1/0;for(let e of r)i[e]=Math.max(i[e]??0,a),a=(i[e]??0)+t;let o=n;for(let e of r.reverse())i[e]=Math.min(i[e]??0,o),o=(i[e]??0)-t;return i}var[Pr,Fr]=[8,6],Ir=new Set;function Lr(e,t,n){e.hidden=!1,`showPopover`in e&&e.showPopover();let{clientWidth:r,clientHeight:i}=document.documentElement,{offsetWidth:a,offsetHeight:o}=e,s=n?t.left+(t.width-a)/2:t.left,c=t.bottom+Fr,l=c+o+Pr<=i?c:t.top-Fr-o;e.style.left=`${Math.max(Math.min(s,r-a-Pr),Pr)}px`,e.style.top=`${Math.max(l,Pr)}px`,Ir.add(e),document.addEventListener(`scroll`,Rr,{capture:!0,once:!0})}function Rr(){Ir.forEach(zr)}function zr(e){!e.hidden&&`hidePopover`in e&&e.hidePopover(),e.hidden=!0,Ir.delete(e)}var U=class{constructor(e){this.tip=document.createElement(`div`),this.part=null,this.tip.className=`tip`,this.tip.popover=`manual`,this.tip.setAttribute(`role`,`status`),this.tip.hidden=!0,e.append(this.tip)}explain(e,t,n){let r=t.flatMap((e,t)=>e?[{part:e,words:n[t]??``}]:[]),i=0,a=e=>{i=(e+r.length)%r.length;let t=r[i];t&&this.show(t.part,t.words)},o=()=>this.hide();e.setAttribute(`tabindex`,`0`),e.addEventListener(`pointerover`,({target:e})=>{let t=r.findIndex(({part:t})=>t.contains(e));t>=0&&a(t)}),e.addEventListener(`pointerleave`,o),e.addEventListener(`focus`,()=>a(i)),e.addEventListener(`blur`,o),e.addEventListener(`keydown`,e=>{if(e.key===`Escape`){o();return}let t={ArrowLeft:-1,ArrowRight:1}[e.key];t!==void 0&&(e.preventDefault(),a(i+t))})}show(e,t,n=e){this.hide(),this.part=e,e.classList.add(`on`),this.tip.textContent=t;let{left:r,width:i}=e.getBoundingClientRect(),{top:a,height:o}=n.getBoundingClientRect();Lr(this.tip,new DOMRect(r,a,i,o),!0)}hide(){zr(this.tip),this.part?.classList.remove(`on`)}};function Br(e,t,n){let r=(t,n)=>t.split(` `).forEach(t=>e.addEventListener(t,n)),i=()=>{zr(t),t.textContent=``};t.className=`tip`,t.hidden=!0,t.popover=`manual`,t.setAttribute(`role`,`tooltip`),r(`pointerenter focus click`,()=>{i(),t.textContent=n(),Lr(t,e.getBoundingClientRect(),!1)}),r(`pointerleave blur`,i),r(`keydown`,e=>{e.key===`Escape`&&i()})}var Vr=`http://www.w3.org/2000/svg`;function W(e,t={},...n){let r=document.createElementNS(Vr,e);for(let[e,n]of Object.entries(t))r.setAttribute(e,String(n));return r.append(...n),r}var Hr={rising:`M-2 2L2 -2M0 8L8 0M6 10L10 6`,falling:`M-2 6L2 10M0 0L8 8M6 -2L10 2`,cross:`M0 0L8 8M8 0L0 8`,bars:`M2 0V8M6 0V8`,dots:`M1.5 2H3.5M5.5 6H7.5`},Ur=0,Wr=class{constructor(){this.defs=W(`defs`),this.prefix=`pattern-${++Ur}`,this.made=new Set}fill(e,t){return W(`rect`,{...t,fill:e.pattern===`solid`?`var(${e.colour})`:`url(#${this.tile(e.colour,e.pattern)})`})}tile(e,t){let n=`${this.prefix}${e}-${t}`;return this.made.has(n)||(this.made.add(n),this.defs.append(W(`pattern`,{id:n,width:8,height:8,patternUnits:`userSpaceOnUse`},W(`rect`,{x:-1,y:-1,width:10,height:10,fill:`var(${e})`,stroke:`none`}),W(`path`,{d:Hr[t],fill:`none`,stroke:`var(--hatch)`,"stroke-width":t===`dots`?2:1.2})))),n}};function Gr(e){let t=new Wr;return W(`svg`,{width:12,height:12,"aria-hidden":`true`},t.defs,t.fill(e,{width:12,height:12}))}function Kr(e,...t){let n=document.createElement(`li`),r=document.createElement(`span`);return r.append(...t),n.append(Gr(e),r),n}var[qr,Jr,Yr]=[9,16,5],Xr=4,G=e=>`${(100*e).toFixed(3)}%`,Zr=I`
  .launches {
    align-items: center;
    display: grid;
    gap: 0 12px;
    grid-template-columns: minmax(80px, 220px) minmax(0, 1fr) 76px;
    margin-top: 8px;
  }
  .launches svg {
    display: block;
    overflow: visible;
  }
  .launches .name {
    font-size: 13px;
    grid-column: 1;
    line-height: 20px;
  }
  .launches .axis {
    grid-column: 2;
    height: 16px;
  }
  .launches .axis span:first-child {
    transform: translateX(-50%);
  }
  .grid {
    stroke: var(--line);
  }
  circle.base {
    fill: var(--panel);
    stroke: var(--ink-2);
    stroke-width: 2px;
  }
  circle.new {
    fill: var(--accent);
    stroke: var(--panel);
  }
  .interval {
    fill: var(--accent);
  }
  .foretold {
    stroke: var(--ink-2);
    stroke-width: 2px;
  }
`;function Qr(e,t){e.replaceChildren();let n=new U(e);e.append(ei(t.ticks));for(let{side:r,name:i,words:a,dots:o}of t.lanes){let s=o.map(({at:e},t)=>W(`circle`,{class:r,cx:G(e),cy:Yr+qr*(t+.5),r:Xr})),c=W(`svg`,{width:`100%`,height:2*Yr+qr*o.length,role:`img`,"aria-label":a},...ti(t),...s);n.explain(c,s,o.map(e=>e.words)),e.append(ii(i,`name`),c)}t.interval&&e.append(ii(`Interval`,`name`),$r(t,t.interval,[...ni(t.interval)])),t.foretold&&e.append(ii(`Foretold`,`name`),$r(t,t.foretold,[...ri(t.foretold)]))}function $r(e,{words:t},n){return W(`svg`,{width:`100%`,height:Jr,role:`img`,"aria-label":t},...ti(e),...n)}function ei(e){let t=document.createElement(`div`);t.className=`axis`,t.setAttribute(`aria-hidden`,`true`);for(let{at:n,words:r}of e){let e=ii(r);e.style.left=G(n),t.append(e)}return t}function ti({ticks:e}){return e.map(({at:e})=>W(`line`,{class:`grid`,x1:G(e),x2:G(e),y1:0,y2:`100%`}))}function ni({begin:e,end:t}){let n=G(Math.max(t-e,.002));return[W(`rect`,{class:`interval`,x:G(e),y:Jr/2-3,width:n,height:6})]}function ri({begin:e,end:t}){let[n,r]=[3,Jr-3];return[W(`line`,{class:`foretold`,x1:G(e),x2:G(t),y1:r,y2:r}),...[e,t].map(e=>W(`line`,{class:`foretold`,x1:G(e),x2:G(e),y1:n,y2:r}))]}function ii(e,t=``){let n=document.createElement(`span`);return n.className=t,n.textContent=e,n}var ai=5e-4,oi=.003;function si(e,t,n,r=20,i=new Wr){let a=e=>`${(e/t*100).toFixed(4)}%`,o=0,s=e.map(({look:e,ns:n})=>{let s=a(o);if(o+=n,n<=t*ai)return null;let c=i.fill(e,{x:s,y:-.5,width:a(n),height:r+1});return n<=t*oi&&c.setAttribute(`stroke`,`none`),c});return{drawing:W(`svg`,{class:`stacked`,width:`100%`,height:r,role:`img`,"aria-label":n},...i.defs.parentNode?[]:[i.defs],...s.filter(e=>e!==null)),segments:s}}function ci(e,t,n){let r=[...e.flatMap(({dots:e})=>e.map(({ns:e})=>e)),...t.ns??[],...n.ns??[]],[i,a]=[Math.min(...r),Math.max(...r)],o=Math.max((a-i)/12,a/200),[s,c]=[Math.max(i-o,0),a+o],l=e=>(e-s)/(c-s),u=({ns:e,words:t})=>{if(!e)return null;let[n,r]=e,i=n===r?D(n):`${D(n)} to ${D(r)}`;return{begin:l(n),end:l(r),words:`${t} ${i}`}};return{ticks:li(s,c).map(e=>({at:l(e),words:D(e)})),lanes:e.map(({side:e,name:t,dots:n})=>({side:e,name:t,words:`${t}: ${n.map(({ns:e})=>D(e)).join(`, `)}`,dots:n.map(({ns:e,words:t})=>({at:l(e),words:t.filter(Boolean).join(`, `)}))})),interval:u(t),foretold:u(n)}}function li(e,t){let[,n=t-e]=H(t-e),r=Math.ceil(e/n);return Array.from({length:Math.floor(t/n)-r+1},(e,t)=>(r+t)*n)}var ui={appeared:`New`,vanished:`Gone`,unchecked:`No longer checked`,changed:`Changed`,same:`As before`};function di({scaling:e,accounts:t,basis:n}){return e?{title:`Where the rest of the GPUs’ time goes`,first:`Ideal`,second:`Real`,change:`Lost`,accounts:e.accounts}:{title:n===`examples`?`Before and now, for the examples of one step before`:`A step before and now`,first:`Before`,second:`Now`,change:`Change`,accounts:t}}function fi({first:e,second:t,accounts:n}){return[[e,`base_ns`],[t,`new_ns`]].map(([e,t])=>({name:e,total:n.reduce((e,n)=>e+n[t],0),parts:Jn(n.map(e=>({id:e.id,ns:e[t]}))).map(({id:e,ns:t})=>({look:z(e),ns:t}))}))}function pi(e){let t=Jn(e.map(e=>({...e,ns:e.base_ns+e.new_ns}))),n=t=>e.reduce((e,n)=>e+n[t],0);return[...t.map(e=>({...e,words:z(e.id).words})),{id:``,words:`together`,base_ns:n(`base_ns`),new_ns:n(`new_ns`),delta_ns:n(`delta_ns`)}]}function mi(e,t){return e===null?`not recorded`:M(e,t)}function hi({times:e}){return e?`Differences up to ${D(Math.max(e.noise_ns,e.drift_ns))} do not count.`:``}function gi(e){let{verdict:t,changed:n,prediction:r,reasons:i,caveats:a,scaling:o,launches:s}=e,c=!s&&(t===`better`||t===`worse`);return[n,r?.sentence??``,o?.sentence??``,...c?[hi(e)]:i,...a].filter(Boolean)}var _i={base:`Before`,new:`Now`};function vi({launches:e,times:t,prediction:n}){if(!e||!t)return null;let{base_ns:r}=t,{items:i,low:a,high:o}=e,s=[`base`,`new`].map(e=>({side:e,name:_i[e],dots:i.filter(t=>t.side===e).map(({run:e,recorded:t,level_ns:n})=>({ns:n,words:[e,D(n),t]}))})),c=a===null||o===null?null:[r*(1+a),r*(1+o)],l=n&&[n.low_ns,n.high_ns];return ci(s,{ns:c,words:`Now, with the interval of the change:`},{ns:l,words:`Foretold by findings that are gone:`})}function yi({launches:e}){return e?`${e.items.every(({recorded:e})=>e)?`Each dot is a launch, the first one above.`:`Each dot is a launch.`} Launches of one side differ by ${k(e.sd)} (standard deviation).`:``}var bi=class extends L{constructor(...e){super(...e),this.word=``,this.meaning=``}static{this.styles=I`
    :host {
      color: inherit;
      display: inline-block;
      font: inherit;
      position: relative;
    }
    :host([first]) #word::first-letter {
      text-transform: var(--first-letter, none);
    }
  `}static{this.properties={word:String,meaning:String}}template(){return S`<button id="word" class="bare term" aria-description=${this.told()}>${this.word}</button
      ><span id="meaning"></span>`}told(){return this.meaning||(xt(this.word,`page`)??``)}ready(){super.ready(),Br(this.child(`word`),this.child(`meaning`),()=>this.told())}};customElements.define(`tfperf-term`,bi);function K(e,t){return{head:e,cell:t,kind:`number`}}function q(e,t,n,r=``){return{head:e,cell:e=>{let i=t(e);return i===null?r:n(i)},value:t,kind:`number`}}function xi(e,t,n=xt(e,t)){return n?Object.assign(document.createElement(`tfperf-term`),{word:e,meaning:n}):e}var Si=class extends L{constructor(...e){super(...e),this.heading=``,this.columns=[],this.items=[],this.note=``,this.panel=``,this.open=!1,this.flat=!1,this.most=1/0,this.order=null}static{this.styles=I`
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
      background: var(--panel);
      position: sticky;
      top: 0;
    }
    td:not(.name) {
      white-space: nowrap;
    }
    .under {
      color: var(--ink-2);
      font-size: 12.5px;
    }
    .elided {
      white-space: nowrap;
    }
    .mark {
      background: var(--warning);
      border-radius: 4px;
      color: var(--page);
      font-size: 12px;
      font-weight: 600;
      padding: 0 6px;
    }
    .against {
      align-items: center;
      display: grid;
      gap: 8px;
      grid-template-columns: 72px minmax(60px, 1fr);
    }
    .against i {
      background: var(--account-unknown);
      border-radius: 2px;
      display: block;
      height: 8px;
    }
    .elided:focus,
    :host([flat]) .elided {
      white-space: normal;
    }
    :host([flat]) td.name {
      min-width: min(260px, 38vw);
    }
  `}static{this.properties={heading:String,columns:Array,items:Array,panel:String,note:String,open:Boolean,flat:Boolean,most:Number,order:Object}}changed(){this.order&&!this.columns.includes(this.order.column)&&(this.order=null)}template(){return this.flat?S`
        <div id="table" class="scroll" tabindex="0" role="group" aria-label=${this.heading}></div>
        <p class="note name" ?hidden=${!this.note}>${this.note}</p>
      `:S`
      <details ?hidden=${this.items.length===0} .open=${this.open} @toggle=${this.onToggle}>
        <summary>${this.heading}</summary>
        <div id="table" class="scroll" tabindex="0" role="group" aria-label=${this.heading}></div>
        <p class="note name" ?hidden=${!this.note}>${this.note}</p>
      </details>
    `}onToggle(e){this.open=e.target.open}drawn(e){let{columns:t,items:n,flat:r,most:i,order:a}=this,o=r||this.open;[`columns`,`items`,`open`,`order`,`most`].some(t=>t in e)&&this.child(`table`).replaceChildren(...o?[wi(t,this.panel,Ci(n,a).slice(0,i),a,e=>{this.order={column:e,usual:this.order?.column!==e||!this.order.usual},this.drawNow(),this.shadowRoot.querySelectorAll(`th button`)[t.filter(({value:e})=>e).indexOf(e)]?.focus()})]:[])}};function Ci(e,t){let n=t?.column.value;if(!n)return e;let r=t.usual?1:-1;return[...e].sort((e,t)=>{let[i,a]=[n(e),n(t)];return i===null||a===null||i===``||a===``?Number(i===null||i===``)-Number(a===null||a===``):r*(typeof i==`number`&&typeof a==`number`?a-i:String(i).localeCompare(String(a),`en`,{numeric:!0}))})}function wi(e,t,n,r,i){let a=(t,n)=>{let r=document.createElement(`tr`);return r.append(...e.map(e=>{let r=document.createElement(t);return r.className=e.kind??``,r.append(n(e,r)),r})),r},o=(e,n)=>{if(!e.value)return xi(e.head,t,e.meaning||void 0);let a=document.createElement(`button`);if(a.className=`bare`,a.textContent=e.head,a.addEventListener(`click`,()=>i(e)),r?.column===e){let t=r.usual===(e.kind===`number`);n.setAttribute(`aria-sort`,t?`descending`:`ascending`),a.dataset.arrow=t?` ▾`:` ▴`}let o=e.meaning||xt(e.head,t);if(!o)return a;let s=document.createDocumentFragment(),c=document.createElement(`span`);return s.append(a,c),a.classList.add(`term`),a.setAttribute(`aria-description`,o),Br(a,c,()=>o),s},s=document.createElement(`table`);return s.createTHead().append(a(`th`,o)),s.createTBody().append(...n.map((e,t)=>a(`td`,({cell:n})=>n(e,t)))),s}customElements.define(`tfperf-table`,Si);function Ti(e){return bt(e).map(e=>typeof e==`string`?e:Object.assign(document.createElement(`tfperf-term`),e))}function Ei(e){return e.split(/(?<=[/_])/).flatMap(e=>[e,document.createElement(`wbr`)])}var Di=class extends HTMLElement{set text(e){let t=Ti(e??``),[n]=t;n instanceof Element&&n.setAttribute(`first`,``),this.replaceChildren(...t)}};customElements.define(`tfperf-text`,Di);var Oi=200,ki={step:`Host: step`,launches:`Host: launches`,input:`Host: input`};function Ai(e){return`${e.startsWith(`host.`)?`host: `:``}${z(e).words}`}function ji({host:e,name:t,is_gpu:n,kernels:r},i){let a=n?`${F(t)}${r?` kernels`:``}`:ki[t]??t;return i?`${e} · ${a}`:a}function Mi({begin:e,end:t},n){let r=Math.min(Math.max(t-e,Math.min(Oi,n)),n),i=Math.min(Math.max(e,0),n-r);return{begin:i,end:i+r}}function Ni({begin:e,end:t},n,r,i){return Mi({begin:r-(r-e)/n,end:r+(t-r)/n},i)}function Pi({begin:e,end:t},n,r){let i=t-e,a=Math.min(Math.max(e+n,0),r-i);return{begin:a,end:a+i}}function Fi({begin:e,end:t},n){let r=Math.max((t-e)*.25,Oi);return Mi({begin:e-r,end:t+r},n)}function J({end_ns:e},t){let[n,r]=[0,e.length];for(;n<r;){let i=n+r>>1;e[i]<=t?n=i+1:r=i}return n}function Ii(e,t){let n=J(e,t);return(e.begin_ns[n]??1/0)<=t?n:-1}function Y(e,{row:t,span:n}){let{begin_ns:r,end_ns:i}=e.rows[t];return{row:t,begin:r[n]??0,end:i[n]??0}}function Li(e,{row:t,span:n}){let r=e.rows[t],[i,a,o]=[r.begin_ns[n]??0,r.end_ns[n]??0,r.pieces[n]??1],s=r.code[n]??0,c=r.kernels?e.names[s]??``:z(e.codes[s]??``).words;return{row:ji(r,e.hosts.length>1),what:o>1?`${j(o)} short pieces, mostly ${c}`:c,begin:i,length:a-i}}function Ri(e,t){return Li(e,t).what}function zi(e,t){let{row:n,what:r,begin:i,length:a}=Li(e,t);return`${n}: ${r}, ${D(a)}, `+(i>0?`${D(i)} into the step`:`at the start of the step`)}function Bi(e,t,n){let r=e.rows.flatMap((e,n)=>{let r=J(e,t.begin),i=J({...e,end_ns:e.begin_ns},t.end-1);return Array.from({length:Math.max(i-r,0)},(e,t)=>({row:n,span:r+t}))}),i=t=>Y(e,t).end-Y(e,t).begin;return{lines:(r.length>n?[...r].sort((e,t)=>i(t)-i(e)).slice(0,n):r).sort((e,t)=>e.row-t.row||e.span-t.span).map(t=>Li(e,t)),total:r.length}}function Vi(e,t,n,r){let i=e.rows.flatMap((i,a)=>{let o=e.rows.findIndex(({host:e,name:t,is_gpu:n})=>!n&&t===`launches`&&e===i.host);if(!i.kernels||o<0)return[];let s=[];for(let e=J(i,t.begin);(i.begin_ns[e]??1/0)<t.end;e++){let[t,c]=[i.begin_ns[e]??0,i.end_ns[e]??0];(c-t>=n||r?.row===a&&r.begin===t)&&(i.thread[e]??-1)>=0&&s.push({from_row:o,at_ns:i.launched_ns[e]??0,to_row:a,kernel_ns:t})}return s});return[...e.arrows,...i]}function Hi({rows:e},{row:t,end_ns:n,host:r,device:i,arrives_ns:a}){let o=e.findIndex(e=>e.is_gpu&&!e.kernels&&e.host===r&&e.name===i);return o<0?null:{from_row:t,at_ns:n,to_row:o,kernel_ns:a}}function Ui(e,{row:t,begin:n}){let r=e.rows[t],i=r?.kernels?Ii(r,n):-1,a=r?.thread[i]??-1;if(!r||a<0)return``;let o=(r.begin_ns[i]??0)-(r.launched_ns[i]??0);return`${e.names[a]??``}${o>0?`, ${D(o)} before it began`:``}`}function Wi({rows:e},t){return t.flatMap(t=>e.flatMap((e,n)=>{if(e.host!==t.host||e.pieces_count===0||t.device!==null&&(!e.is_gpu||e.name!==t.device))return[];let[r,i]=[t.begin_ms,t.end_ms].map(t=>Math.round((t-e.origin_ms)*1e6));return i>0&&r<e.length_ns?[{row:n,begin:Math.max(r,0),end:Math.min(i,e.length_ns)}]:[]}))}function Gi(e,{row:t,begin:n,end:r},i){let{host:a,name:o,is_gpu:s,origin_ms:c}=e.rows[t],l=Number.parseInt(e.step,10);return{host:a,begin_ms:c+n/1e6,end_ms:c+r/1e6,label:i,device:s?o:null,stream:null,step:l}}function Ki({rows:e,codes:t}){return t.filter(t=>e.some(({sums_ns:e})=>(e[t]??0)>0))}var qi=16,Ji=8,Yi=4,Xi=8;function Zi(e,t,n){let r=getComputedStyle(e),i=e=>r.getPropertyValue(e).trim();return{fills:t.map(e=>Qi(z(e),i,n)),text:i(`--ink-2`),line:i(`--line`),accent:i(`--accent`),ink:i(`--ink`),font:`12px ${r.fontFamily}`,kernels:[i(`--info-ground`),i(`--line`)]}}function Qi({colour:e,pattern:t},n,r){let i=n(e);if(t===`solid`)return i;let a=document.createElement(`canvas`);a.width=a.height=Xi;let o=a.getContext(`2d`);return o?(o.fillStyle=i,o.fillRect(0,0,Xi,Xi),o.strokeStyle=n(`--hatch`),o.lineWidth=t===`dots`?2:1.2,o.stroke(new Path2D(Hr[t])),r.createPattern(a,`repeat`)??i):i}function $i(e,t,n,r,i,a,o,s,c){let l=t/(r.end-r.begin),u=e=>(e-r.begin)*l,d=e=>22+e*22;e.clearRect(0,0,t,d(n.rows.length)),ta(e,t,r,d(n.rows.length),i),n.rows.forEach((t,a)=>{let o=d(a)+3;t.kernels?ea(e,t,n.names,r,u,o,i):na(e,t,r,u,o,i.fills)});let f=({row:n,begin:r,end:i},a)=>{e.strokeStyle=a,e.lineWidth=2;let[o,s]=[Math.max(u(r),-4),Math.min(u(i),t+4)];e.strokeRect(o,d(n)+2,Math.max(s-o,3),18)};for(let t of a){if(t.end<r.begin||t.begin>r.end)continue;let n=u(t.end)-u(t.begin);n>=Ji?f(t,i.accent):(e.fillStyle=i.accent,e.fillRect(u(t.begin),d(t.row)+22-Yi,Math.max(n,2),Yi))}o&&f(o,i.ink);let p=({from_row:t,at_ns:n,to_row:i,kernel_ns:a},o,s)=>{if(n<r.begin||n>r.end)return;let[c,l]=[Math.round(u(n))+.5,Math.round(u(a))+.5],f=i>t?1:-1,p=d(i)+(f>0?3:19);e.strokeStyle=e.fillStyle=o,e.lineWidth=s,e.beginPath(),e.moveTo(c,d(t)+11),e.lineTo(c,p-5*f),e.lineTo(l,p-5*f),e.stroke(),e.beginPath(),e.moveTo(l-2.5-s,p-5*f),e.lineTo(l+2.5+s,p-5*f),e.lineTo(l,p+f),e.fill()};for(let e of s)p(e,i.ink,1);c&&p(c,i.accent,2)}function ea(e,{begin_ns:t,end_ns:n,code:r},i,a,o,s,c){e.font=c.font;for(let l=J({end_ns:n},a.begin);l<r.length;l++){let u=t[l];if(u>=a.end)break;let[d,f]=[Math.max(Math.round(o(u)),0),Math.round(o(Math.min(n[l],a.end)))];f<=d||(e.fillStyle=c.kernels[l%2],e.fillRect(d,s,f-d,qi),f-d<40||(e.save(),e.beginPath(),e.rect(d,s,f-d-2,qi),e.clip(),e.fillStyle=c.ink,e.fillText(i[r[l]]??``,d+3,s+12),e.restore()))}}function ta(e,t,n,r,i){let a=n.end-n.begin,[,o=a]=H(a),s=qt(o,n.end);e.font=i.font,e.fillStyle=i.text;for(let r=Math.ceil(n.begin/o)*o;r<=n.end;r+=o){let i=Math.round((r-n.begin)/a*t);e.fillRect(i,17,1,5);let o=s(r),c=e.measureText(o).width;e.fillText(o,Math.min(Math.max(i-c/2,0),t-c),12)}e.fillStyle=i.line,e.fillRect(0,21,t,1),e.fillRect(0,r-1,t,1)}function na(e,{begin_ns:t,end_ns:n,code:r},i,a,o,s){let c=-1;for(let l=J({end_ns:n},i.begin);l<r.length;l++){let u=t[l];if(u>=i.end)break;let[d,f]=[Math.max(Math.round(a(u)),0),Math.round(a(Math.min(n[l],i.end)))];f<=d||(r[l]!==c&&(e.fillStyle=s[c=r[l]]??``),e.fillRect(d,o,f-d,qi))}}var ra=120,ia=1.6,aa=.15,oa=4,sa=class extends L{constructor(...e){super(...e),this.data=null,this.extent=0,this.fine=null,this.marks=[],this.chosen=null,this.tags=[],this.expected=0,this.arrows=!1,this.wait=null,this.range=null,this.view={begin:0,end:1},this.at={row:0,span:0},this.measured=0,this.ink=null,this.frame=0,this.resting=0,this.held=null,this.watchers=[]}static{this.styles=I`
    #frame {
      display: grid;
      gap: 10px;
      grid-template-columns: var(--labels, minmax(64px, max-content)) minmax(0, 1fr);
      max-height: 70vh;
      overflow: hidden auto;
    }
    #labels {
      font-size: 13px;
      max-width: 340px;
      min-width: 0;
    }
    #labels div {
      height: ${22}px;
      line-height: ${22}px;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    #labels > :first-child {
      margin-top: ${22}px;
    }
    .of {
      display: inline-block;
      max-width: 130px;
      overflow: hidden;
      text-overflow: ellipsis;
      vertical-align: bottom;
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
    #spot,
    #range {
      pointer-events: none;
      position: absolute;
    }
    #range {
      background: color-mix(in srgb, var(--accent) 18%, transparent);
      border: solid var(--accent);
      border-width: 0 1px;
      bottom: 0;
      top: 0;
    }
  `}static{this.properties={data:Object,fine:Object,marks:Array,chosen:Object,tags:Array,expected:Number,arrows:Boolean,wait:Object,range:Object}}template(){let{data:e}=this,t=(e?.hosts.length??0)>1;return S`
      <div id="wrap">
        <div id="frame" style="min-height:min(${22+this.expected*22}px, 70vh)">
          <div id="labels" aria-hidden="true">${e?.rows.map((e,n)=>{let r=ji(e,t),i=this.tags[n];return S`<div
        class=${e.is_gpu&&!e.kernels?``:`host`}
        title=${i?`${r}: ${i.words}. ${i.meaning}`:r}
      >
        ${t?S`<span class="of name">${e.host}</span> ·&nbsp;`:C}${ji(e,!1)}
        ${i?S`<span class=${i.late?`tag late`:`tag`}>${i.words}</span>`:C}
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
            <div id="range" ?hidden=${!this.range}></div>
          </div>
        </div>
      </div>
      <p id="help" class="unseen">
        Drag or ← → to move · Ctrl + wheel or + − to zoom, 0 for the whole step · ↑ ↓ for rows, Shift + ← → for spans ·
        click or Enter to choose a span, Shift + drag to measure a range, m to measure what is in view, Esc to leave it
      </p>
    `}drawn(){this.draw()}ready(){super.ready(),this.tip=new U(this.child(`wrap`))}connectedCallback(){super.connectedCallback();let e=new ResizeObserver(()=>{this.measured=this.child(`plot`).clientWidth,this.draw()});e.observe(this.child(`plot`));let t=new MutationObserver(()=>{this.ink=null,this.draw()});t.observe(document.documentElement,{attributes:!0,attributeFilter:[`data-theme`]}),this.watchers.push(e,t)}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.resting);for(let e of this.watchers.splice(0))e.disconnect()}wordsOf({row:e,begin:t}){let{spans:n}=this,r=n?.rows[e];if(!n||!r)return``;let i=Ii(r,t);return i<0?``:Ri(n,{row:e,span:i})}show(e){this.data=e,this.fine=null,this.ink=null,this.at={row:0,span:0},this.showAll()}get spans(){let{fine:e,view:t}=this;return e&&e.begin_ns<=t.begin&&e.end_ns>=t.end?e:this.data}get width(){return Math.max(this.measured||this.child(`plot`).clientWidth,100)}remeasure(){this.measured=0}get length(){return Math.max(this.data?.length_ns??0,this.extent,1)}focusPlot(){this.canvas.focus({preventScroll:!0})}see(e){this.view=e,this.tip.hide(),this.draw()}move(e){this.see(e),clearTimeout(this.resting),this.resting=window.setTimeout(()=>R(this,`view-rest`),ra)}zoom(e,t=(this.view.begin+this.view.end)/2){this.data&&this.move(Ni(this.view,e,t,this.length))}zoomIn(){this.zoom(ia)}zoomOut(){this.zoom(1/ia)}showAll(){this.data&&this.move({begin:0,end:this.length})}draw(){this.frame||=requestAnimationFrame(()=>{this.frame=0,this.drawNow()})}get canvas(){return this.child(`canvas`)}drawNow(){super.drawNow();let{spans:e,canvas:t}=this,n=t.getContext(`2d`);if(!e||!n)return;let r=22+e.rows.length*22;t.style.height=`${r}px`;let i=this.child(`plot`).clientWidth;if(i===0)return;let a=window.devicePixelRatio||1,[o,s]=[Math.round(i*a),Math.round(r*a)];(t.width!==o||t.height!==s)&&([t.width,t.height]=[o,s]),this.ink??=Zi(this,e.codes,n),n.setTransform(a,0,0,a,0,0);let{view:c,chosen:l,range:u,wait:d}=this;if(u){let[e,t]=[this.toPx(u.begin,i),this.toPx(u.end,i)];this.child(`range`).style.cssText=`left:${e}px;width:${t-e}px`}let f=this.arrows?Vi(e,c,(c.end-c.begin)/i*40,l):[];$i(n,i,e,c,this.ink,this.marks,l,f,d&&Hi(e,d))}pan(e){this.data&&this.move(Pi(this.view,e*(this.view.end-this.view.begin),this.length))}toNs(e){return this.view.begin+e/this.width*(this.view.end-this.view.begin)}toPx(e,t){let{begin:n,end:r}=this.view;return Math.min(Math.max((e-n)/(r-n)*t,0),t)}point(e){let{spans:t,view:n,width:r}=this;if(!t)return;let{begin:i,end:a}=Y(t,e),o=r/(n.end-n.begin),s=Math.max((i-n.begin)*o,0),c=Math.min((a-n.begin)*o,r),l=this.child(`spot`),u=22+e.row*22;l.style.cssText=`left:${s}px;width:${Math.max(c-s,1)}px;top:${u}px;height:22px`,this.tip.show(l,zi(t,e),this.child(`frame`))}go({row:e,span:t}){let{spans:n,view:r,data:i}=this,a=n?.rows[e];if(!n||!i||!a)return;if(a.code.length===0){this.at={row:e,span:0},this.tip.hide();return}this.at={row:e,span:Math.min(Math.max(t,0),a.code.length-1)};let{begin:o,end:s}=Y(n,this.at);(s<=r.begin||o>=r.end)&&this.move(Pi(r,(o+s-r.begin-r.end)/2,this.length)),this.point(this.at)}get current(){let{spans:e,at:t,view:n}=this,r=e?.rows[t.row];if(!e||!r)return t;let{begin:i,end:a}=Y(e,t);return a>n.begin&&i<n.end?t:{row:t.row,span:Math.min(J(r,n.begin),Math.max(r.code.length-1,0))}}zoomAt(e){let{spans:t,current:n,view:r}=this;if(!t)return;let{begin:i,end:a}=Y(t,n),o=(Math.max(i,r.begin)+Math.min(a,r.end))/2;this.zoom(e,Math.min(Math.max(o,r.begin),r.end))}goRow(e){let{spans:t,current:n,view:r}=this,i=t?.rows[n.row+e];t&&i&&this.go({row:n.row+e,span:J(i,Math.max(Y(t,n).begin,r.begin))})}choose(e){let{spans:t}=this;e&&(this.at=e),R(this,`span-choose`,{mark:e&&t?Y(t,e):null})}timeAt({clientX:e}){let t=this.toNs(e-this.canvas.getBoundingClientRect().left);return Math.round(Math.min(Math.max(t,0),this.length))}spotAt(e){let t=this.canvas.getBoundingClientRect(),n=Math.floor((e.clientY-t.top-22)/22),r=this.spans?.rows[n];if(!r)return null;let i=Ii(r,this.toNs(e.clientX-t.left));return i<0?null:{row:n,span:i}}onFocus(){let e=this.spans?.rows[this.at.row];e&&!this.held&&this.go({row:this.at.row,span:J(e,this.view.begin)})}onBlur(){this.tip.hide()}onKey(e){let{key:t,shiftKey:n}=e;if(e.ctrlKey||e.metaKey||e.altKey)return;let r={ArrowLeft:-1,ArrowRight:1}[t],i={ArrowUp:-1,ArrowDown:1}[t];if(r!==void 0&&n)this.go({row:this.at.row,span:this.current.span+r});else if(r!==void 0)this.pan(r*aa);else if(i!==void 0)this.goRow(i);else if(t===`+`||t===`=`)this.zoomAt(ia);else if(t===`-`)this.zoomAt(1/ia);else if(t===`0`)this.showAll();else if(t===`Enter`||t===` `)this.choose(this.current);else if(t===`Escape`&&this.chosen)this.choose(null);else return;e.preventDefault()}onWheel(e){let t=e.shiftKey&&e.deltaY||e.deltaX;if(e.ctrlKey||e.metaKey){let t=e.clientX-this.canvas.getBoundingClientRect().left;this.zoom(2**(-e.deltaY/200),this.toNs(t))}else if(Math.abs(t)>(e.shiftKey?0:Math.abs(e.deltaY)))this.pan(t/this.width);else return;e.preventDefault()}onDown(e){if(e.button!==0)return;let t=e.shiftKey?this.timeAt(e):null;this.held={x:e.clientX,view:this.view,moved:!1,from:t},this.canvas.setPointerCapture(e.pointerId)}onMove(e){let{held:t,data:n}=this;if(!t||!n){let t=this.spotAt(e);t?this.point(t):this.tip.hide();return}let r=e.clientX-t.x;if(t.moved||=Math.abs(r)>oa,t.moved){if(t.from!==null){let[n,r]=[t.from,this.timeAt(e)].sort((e,t)=>e-t);this.range=r>n?{begin:n,end:r}:null,this.tip.hide()}else this.canvas.classList.add(`held`),this.move(Pi(t.view,-r/this.width*(t.view.end-t.view.begin),this.length))}}onUp(e){let{held:t}=this;this.held=null,this.canvas.classList.remove(`held`),t?.moved&&t.from!==null?R(this,`range-choose`,{range:this.range}):t&&!t.moved&&e.type===`pointerup`&&this.choose(this.spotAt(e))}onLeave(){this.held||this.tip.hide()}};customElements.define(`tfperf-timeline-plot`,sa);var ca=4,la=class extends L{constructor(...e){super(...e),this.sides=[],this.both=[],this.problem=``,this.loading=new AbortController}static{this.styles=I`
    :host {
      --labels: 190px;
    }
    h3 {
      font-size: 13px;
      margin-top: 8px;
      overflow-wrap: anywhere;
    }
  `}static{this.properties={backend:Object,sides:Array,both:Array,problem:String}}disconnectedCallback(){super.disconnectedCallback(),this.loading.abort()}changed(e){`sides`in e&&this.load()}template(){let{sides:e,both:t,problem:n}=this,r=t.length===0?`Loading …`:`Both from their start. Zoom or move one, and the other follows.`;return S`
      <p class="note" role="status">${n||r}</p>
      ${e.map(({run:e},n)=>{let r=t[n];return S`<h3>
            ${Ei(e)} <small>${r?`step ${r.step}, ${D(r.length_ns)}`:``}</small>
          </h3>
          <tfperf-timeline-plot @view-rest=${this.follow} @span-choose=${this.choose}></tfperf-timeline-plot>`})}
      <ul class="legend" aria-label="What the rows show">
        ${[...new Set(t.flatMap(Ki))].map(e=>Kr(z(e),...Ti(Ai(e))))}
      </ul>
    `}drawn(e){if(!(`both`in e))return;let t=Math.max(...this.both.map(({length_ns:e})=>e));this.plots.forEach((e,n)=>{e.extent=t,this.both[n]&&e.show(this.both[n])})}get plots(){return[...this.shadowRoot.querySelectorAll(`tfperf-timeline-plot`)]}follow({target:e}){let{view:t}=e;for(let e of this.plots)e.view!==t&&e.see(t)}choose({target:e,detail:t}){e.chosen=t.mark}async load(){this.loading.abort(),this.loading=new AbortController;let{signal:e}=this.loading;this.both=[],this.problem=``;let t={host:null,begin_ns:0,end_ns:null,width:Math.max(ca*this.clientWidth,1),keep:null,kernels:!1},n=({run:n,usual_step:i})=>this.backend.timeline({run:n,...r,...t,step:i??``},e);try{let t=await Promise.all(this.sides.map(n));e.aborted||(this.both=t)}catch(t){e.aborted||(this.problem=t instanceof Error?t.message:String(t))}}};customElements.define(`tfperf-two-steps`,la);var ua={better:`▼`,worse:`▲`,same:`=`,unproven:`≈`,suspicious:`!`,cannot_compare:`?`},da=[{head:`Since then`,cell:({status:e})=>ui[e]},{head:`Finding`,cell:({title:e})=>e,kind:`name`},K(`Cost before`,e=>ba(e.base_ns,e.base_severity)),K(`Cost now`,e=>ba(e.new_ns,e.new_severity)),{head:`What the check says where it is not found`,cell:({note:e})=>e,kind:`note name`}],fa=[{head:`Launch`,cell:({run:e})=>e,kind:`name`},{head:`Side`,cell:({side:e})=>_i[e]},{head:`Recorded`,cell:({recorded:e})=>e||`not known`},q(`A step`,({level_ns:e})=>e,D),q(`Steps`,({steps_count:e})=>e,String)],pa=[{head:`Number`,cell:({label:e})=>e,kind:`name`},K(`Before`,e=>mi(e.base,e.unit)),K(`Now`,e=>mi(e.new,e.unit))],ma=[{head:`Setting`,cell:({label:e})=>e,kind:`name`},{head:`Before`,cell:e=>e.base,kind:`name`},{head:`Now`,cell:e=>e.new,kind:`name`}],ha=class extends L{constructor(...e){super(...e),this.round=null,this.comparison=null,this.stacked=!1,this.problem=``,this.waiting=``,this.usual=[],this.loading=new AbortController}static{this.styles=I`
    ${Zr}
    :host {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      margin-top: 12px;
      padding: 12px 18px;
    }
    header {
      align-items: baseline;
      display: flex;
      gap: 16px;
      justify-content: space-between;
    }
    h2 {
      color: var(--ink-2);
      font-size: 12.5px;
      font-weight: 400;
      min-width: 0;
    }
    .verdict {
      font-size: 20px;
      line-height: 26px;
    }
    .better b {
      color: var(--good);
    }
    .worse b {
      color: var(--critical);
    }
    .suspicious b,
    .cannot_compare b {
      color: var(--warning);
    }
    #chart {
      display: grid;
      gap: 6px 12px;
      grid-template-columns: minmax(80px, 220px) minmax(0, 1fr) 76px;
      margin-top: 8px;
    }
    #chart .name {
      font-size: 13px;
      grid-column: 1;
      line-height: 20px;
    }
    .axis {
      grid-column: 2;
      height: 16px;
    }
    .axis span:first-child {
      transform: none;
    }
    #chart > b {
      font-variant-numeric: tabular-nums;
      font-weight: 600;
      text-align: right;
    }
    #steps,
    #more {
      margin-top: 6px;
    }
  `}static{this.properties={backend:Object,sides:String,round:Object,comparison:Object,stacked:Boolean,problem:String,waiting:String}}disconnectedCallback(){super.disconnectedCallback(),this.loading.abort()}changed(e){let t=`backend`in e||`sides`in e;(t||`round`in e)&&this.load(t);let{comparison:n}=this;`comparison`in e&&(this.usual=n?.times&&n.base.usual_step&&n.new.usual_step?[n.base,n.new]:[])}template(){let{comparison:e,problem:t,waiting:n,usual:r}=this,[i,a]=this.runs,o=e&&di(e),s=o?.accounts.length?pi(o.accounts):[],{verdict:c,sentence:l=``,launches:u}=e??{};return S`
      <header>
        <h2><span class="name">${ga(a)}</span> against <span class="name">${ga(i)}</span></h2>
        <button class="button" @click=${()=>R(this,`base-change`,{base:null})}>Stop comparing</button>
      </header>
      <div id="said" role="status">
        <p class="note" ?hidden=${!n}>${n}</p>
        <p class="name" ?hidden=${!t}>${t}</p>
        <p class="verdict name ${c}" ?hidden=${!e}>
          <b aria-hidden="true">${c&&ua[c]}</b> ${l}
        </p>
        ${(e?gi(e):[]).map(e=>S`<p class="note name">${e}</p>`)}
      </div>
      <p class="note" ?hidden=${!u}>${e&&yi(e)}</p>
      <div id="launches" class="launches" ?hidden=${!u}></div>
      <p class="note" ?hidden=${e?.basis!==`examples`}>${o?.title}</p>
      <div id="chart" ?hidden=${s.length===0}></div>
      <ul id="legend" class="legend" aria-label="Colors" ?hidden=${s.length===0}></ul>
      <details id="steps" ?hidden=${r.length<2} ?open=${this.stacked} @toggle=${this.onToggle}>
        <summary>A step of each run, on one time axis</summary>
        ${this.stacked&&e?S`<tfperf-two-steps .backend=${this.backend} .sides=${r}></tfperf-two-steps>`:C}
      </details>
      <details id="more" ?hidden=${!e}>
        <summary>What changed, in numbers</summary>
        ${u?va(`each`,`Each launch`,fa,u.items):C}
        ${va(`accounts`,`Each account`,o?_a(o):[],s)}
        ${va(`findings`,`Findings that appeared, vanished or stayed`,da,e?.findings??[])}
        ${va(`numbers`,`Key numbers`,pa,e?.numbers??[])}
        ${va(`settings`,`What the trainings recorded differently`,ma,e?.settings??[])}
      </details>
    `}drawn(e){if(!(`comparison`in e)||!this.comparison?.times)return;this.draw(this.comparison);let t=vi(this.comparison);t&&Qr(this.child(`launches`),t)}onToggle(e){this.stacked=e.target.open}get runs(){return JSON.parse(this.sides)}async load(e){this.loading.abort(),this.loading=new AbortController;let{signal:t}=this.loading;e&&(this.comparison=null),this.problem=``,this.waiting=e?`Comparing …`:``;let[n,r]=this.runs,i=n.length+r.length>2?`all runs`:`both runs`,a=({share:e})=>{t.aborted||(this.waiting=`Analyzing ${i}, ${k(e)} done …`)};try{let e=await this.backend.compare(n,r,a,t);t.aborted||(this.comparison=e)}catch(e){t.aborted||(this.problem=e instanceof Error?e.message:String(e))}t.aborted||(this.waiting=``)}draw(e){let t=di(e),n=fi(t),r=Math.max(...n.map(({total:e})=>e),1),i=this.child(`chart`);i.replaceChildren();let a=new U(i),o=document.createElement(`div`);o.className=`axis`,o.setAttribute(`aria-hidden`,`true`),o.append(...H(r).map(e=>{let t=ya(`span`,D(e));return t.style.left=`${100*e/r}%`,t})),i.append(o);let s=e.scaling?n.map(({name:e})=>e):[e.base.run,e.new.run];n.forEach(({total:e,parts:t},n)=>{let o=ya(`span`,``);o.className=`name`,o.append(...Ei(s[n]??``));let c=t.map(t=>`${t.look.words}, ${D(t.ns)}, ${k(t.ns/e)}`),{drawing:l,segments:u}=si(t,r,`${s[n]}, ${D(e)}: ${c.join(`; `)}`);a.explain(l,u,c),i.append(o,l,ya(`b`,D(e)))});let c=pi(t.accounts).filter(e=>e.id&&Math.max(e.base_ns,e.new_ns)>=r/200);this.child(`legend`).replaceChildren(...c.map(({id:e,words:t})=>Kr(z(e),t)))}};function ga(e){return e.length===1?e[0]??``:P(e.length,`launch`,`launches`)}function _a(e){return[{head:`Account`,cell:({words:e})=>e,kind:`name`},q(e.first,({base_ns:e})=>e,D),q(e.second,({new_ns:e})=>e,D),q(e.change,({delta_ns:e})=>e,cn)]}function va(e,t,n,r){return S`<tfperf-table id=${e} .heading=${t} .columns=${n} .items=${r} open></tfperf-table>`}function ya(e,t){let n=document.createElement(e);return n.textContent=t,n}function ba(e,t){return t===null?``:e===null?t:`${D(e)}, ${t}`}customElements.define(`tfperf-compare`,ha);var xa={critical:`●`,warning:`▲`,info:`i`},Sa=class extends L{static{this.styles=I`
    :host {
      display: inline-block;
    }
    .pill {
      display: inline-block;
      line-height: 20px;
      padding: 0 9px;
    }
    i {
      display: inline-block;
      font-size: 11px;
      margin-right: 5px;
    }
    .critical i,
    .warning i {
      font-style: normal;
    }
    .info i {
      font-family: Georgia, serif;
      font-size: 13px;
    }
  `}static{this.properties={severity:String}}template(){let{severity:e}=this;return S`<span class="pill ${e}"><i aria-hidden="true">${xa[e]}</i>${e}</span>`}};customElements.define(`tfperf-severity`,Sa);var X=e=>({outline:t})=>t&&e(t),Ca=[`none`,`thin`,`fair`,`strong`],wa=[`info`,`warning`,`critical`],Ta=[{id:`run`,meaning:`Name of the profile in the log directory.`,head:`Run`,value:({run:e})=>e},{id:`recorded`,meaning:`The day on which the profile was recorded.`,head:`Recorded`,value:({recorded:e})=>e||null,falling:!0},{id:`gpus`,meaning:`How many GPUs, and which; 2 × 4 are four on each of two hosts.`,head:`GPUs`,value:X(({gpus_count:e})=>e),falling:!0},{id:`step`,meaning:`Half of the steps are no longer; 95 % are no longer than p95.`,head:`Step, median`,value:X(({p50_ns:e})=>e),falling:!0,kind:`number`},{id:`running`,meaning:`Share of the time watched in which steps ran.`,head:`Steps run`,value:X(({running_ratio:e})=>e),kind:`number`},{id:`each`,meaning:`A bar for each step, in time order; steps far longer than the others are cut.`,head:`Each step`,value:X(({steps_count:e})=>e),falling:!0},{id:`compute`,meaning:`Share of the step in which kernels compute.`,head:`Compute`,value:X(({compute_ratio:e})=>e),kind:`number`},{id:`active`,meaning:`Share of the step in which a kernel or copy runs.`,head:`GPU active`,value:X(({active_ratio:e})=>e),kind:`number`},{id:`exposed`,meaning:`Communication of a step that no compute hides.`,head:`Exposed comm.`,value:X(({exposed_ns:e})=>e),falling:!0,kind:`number`},{id:`finding`,meaning:`The first finding, and how many more there are.`,head:`Top finding`,value:X(({finding:e,settled:t})=>t?-1:e&&wa.indexOf(e.severity)),falling:!0},{id:`recoverable`,meaning:`The time of a step that all findings together could save, at most.`,head:`Recoverable`,value:X(({recoverable_ns:e})=>e),falling:!0},{id:`against`,meaning:`Step time beside that of the baseline.`,head:`Against ★`,value:({against:e})=>e&&e.change},{id:`evidence`,meaning:`How far the capture can be relied on.`,head:`Evidence`,value:X(({evidence:e})=>e&&Ca.indexOf(e))}],Ea=[{id:`critical`,words:`Critical`,is:({outline:e})=>e?.finding?.severity===`critical`},{id:`thin`,words:`Thin evidence`,is:({outline:e})=>[`thin`,`none`].includes(e?.evidence??``)},{id:`settled`,words:`Nothing to fix`,is:({outline:e})=>e?.settled??!1},{id:`comparable`,words:`Comparable with ★`,is:({against:e})=>e!==null&&e.verdict!==`cannot_compare`}];function Da(e){let t=Ta.find(({id:t})=>t===e?.replace(/^-/,``));return t?{column:t,falling:(t.falling??!1)!==e?.startsWith(`-`)}:null}function Oa(e,t){return e===t?`-${t}`:t}function ka(e,t,n){let r=(n.filter??``).toLowerCase().split(/\s+/).filter(Boolean),i=Ea.find(({id:e})=>e===n.only),a=e.map(({name:e})=>e).filter(e=>{let n=t.get(e);if(i&&!(n&&i.is(n)))return!1;let a=r.length>0?Aa(e,n).toLowerCase():``;return r.every(e=>a.includes(e))}),o=Da(n.sort);if(!o)return a;let{column:s,falling:c}=o;if(s.id===`recorded`)return c?a:a.reverse();let l=e=>{if(s.id===`run`)return e;let n=t.get(e);return n?s.value(n):null};return a.map(e=>({name:e,value:l(e)})).sort((e,t)=>{if(e.value===null||t.value===null)return Number(e.value===null)-Number(t.value===null);let n=typeof e.value==`number`&&typeof t.value==`number`?e.value-t.value:String(e.value).localeCompare(String(t.value),`en`,{numeric:!0});return c?-n:n}).map(({name:e})=>e)}function Aa(e,t){let n=t?.outline;return[e,...(n?.gpus??[]).map(e=>e.name),n?.finding?.title].join(` `)}function ja(e,t){return e?e.error?!1:e.outline===null||t!==null&&e.against===null:!0}var Ma=40,Na=6e3;function Pa(e){let t=0;return e.slice(0,Ma).filter((e,n)=>(t+=encodeURIComponent(e).length+5,n===0||t<=Na))}function Fa(e){return e.replace(/^(?:(?:NVIDIA|AMD|Tesla|GeForce|Quadro) )+/i,``).replace(/-(?:SXM|PCIE|PCI).*$/i,``)}function Ia({gpus:e,gpus_count:t,hosts_count:n}){if(t===0)return`no GPU`;let[r,...i]=e,a=Fa(r?.name??``)||`GPU`;return i.length>0?e.map(e=>`${e.count} × ${Fa(e.name)||`GPU`}`).join(`, `):n>1&&t%n===0?`${n} × ${t/n} ${a}`:`${t} × ${a}`}var La={strong:`Strong`,fair:`Fair`,thin:`Thin`,none:`None`};function Ra({verdict:e,change:t,why:n}){return e===`base`?{change:``,words:`baseline`}:e===`cannot_compare`||t===null?{change:``,words:n}:{change:Qt(t),words:e===`same`?`same`:e}}function za(e){try{let t=JSON.parse(e??`[]`);return Array.isArray(t)?t:[]}catch{return[]}}var Ba=e=>Array.isArray(e)?e.filter(e=>typeof e==`string`):[];function Va(e){let t=za(e);return t.some(Array.isArray)?[...new Set(t.flatMap(Ba))]:[...new Set(Ba(t))]}var Ha=e=>e.slice(0,Math.max(e.lastIndexOf(`/`),0));function Ua(e,t,n){let r=e=>n.some(t=>t.name===e),i=za(e);return i.some(Array.isArray)?{base:Ba(i[0]).filter(r),now:Ba(i[1]).filter(r)}:Wa(Va(e).filter(r),t,n)}function Wa(e,t,n){let r=e=>e===t?1/0:n.findIndex(t=>t.name===e),[i,...a]=[...e].sort((e,t)=>r(t)-r(e));if(i===void 0)return{base:[],now:[]};let o=a.filter(e=>Ha(e)===Ha(i));return o.length===a.length?{base:[i],now:a}:{base:[i,...o],now:a.filter(e=>!o.includes(e))}}var Ga=({base:e,now:t})=>e.length+t.length>0?JSON.stringify([e,t]):null;function Ka(e,t){let n=Va(e),r=n.includes(t);if(za(e).some(Array.isArray)){let[n,i]=za(e).map(Ba),a=(e=[])=>e.filter(e=>e!==t);return Ga({base:a(n),now:[...a(i),...r?[]:[t]]})}let i=r?n.filter(e=>e!==t):[...n,t];return i.length>0?JSON.stringify(i):null}function qa({base:e,now:t},n){let r=e=>e.filter(e=>e!==n);return e.includes(n)?Ga({base:r(e),now:[...t,n]}):Ga({base:[...e,n],now:r(t)})}function Ja({p95_ns:e,step_ns:t},n){return n===0?`0`:e===null||!t?D(n):`${k(n/t)} a step`}var Ya=18,Xa=3,Za=4;function Qa({lengths:e,steps_count:t,p50_ns:n}){let r=Mr(e),i=`${P(t,`step`)}${n===null?``:`, half of them within ${D(n)}`}`;return W(`svg`,{width:Math.max(e.length*Za,1),height:Ya,role:`img`,"aria-label":i},...e.map(({ns:e,judged:t,outlier:n},i)=>{let a=Math.max(Ya*Math.min(r(e),1),1);return W(`rect`,{class:n?`outlier`:t?`judged`:`partial`,x:i*Za,y:Ya-a,width:Xa,height:a})}))}var $a=50,eo=700,to={sort:null,filter:null,only:null,row:null,pair:null,trial:null},no=class extends L{constructor(...e){super(...e),this.runs=[],this.base=null,this.state=to,this.round=0,this.on=!1,this.rows=new Map,this.shown=$a,this.problem=``,this.inView=new Set,this.sights=new IntersectionObserver(e=>{for(let{target:t,isIntersecting:n}of e)this.inView[n?`add`:`delete`](t);this.askSoon()}),this.asked=new Set,this.asking=null,this.timer=0}static{this.styles=I`
    :host {
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
      padding: 6px 13px 6px 0;
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
    /* Two lines, before a report is there and after: no row moves when one comes. */
    tbody td {
      height: 54px;
      padding-bottom: 0;
      padding-top: 0;
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
    /* Long names end after two lines; the title has all of them. */
    td.run a,
    td.finding div {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 2;
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
      height: 24px;
      line-height: 24px;
      text-align: center;
      width: 28px;
    }
    .choose {
      padding-left: 8px;
      width: 76px;
    }
    .side {
      border: 1px solid var(--control-line);
      border-radius: 4px;
      font-weight: 600;
      height: 24px;
      line-height: 22px;
      text-align: center;
      vertical-align: top;
      width: 24px;
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
    /* The row has two lines anyway. */
    .step .quiet {
      display: block;
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
      padding: 1px 9px;
    }
    .strong {
      color: var(--good);
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
    table:not(.watched) .running {
      display: none;
    }
    footer {
      margin: 10px 0 0;
    }
    @media (max-width: 1500px) {
      .active,
      .watched .each {
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
      .running,
      .each,
      .gpus,
      .compute {
        display: none;
      }
    }
    /* As far as the first finding, all is in view. */
    @media (max-width: 640px) {
      th,
      td {
        padding-right: 10px;
      }
      th button {
        white-space: normal;
      }
      .choose {
        padding-left: 0;
        width: 28px;
      }
      .choose > * {
        display: block;
      }
      .scroll td.run,
      .scroll td.finding {
        max-width: 110px;
        min-width: 110px;
      }
      tbody td {
        height: 62px;
      }
      td.finding div {
        -webkit-line-clamp: 3;
      }
    }
  `}static{this.properties={backend:Object,runs:Array,base:String,state:Object,round:Number,on:Boolean,rows:Object,shown:Number,problem:String}}disconnectedCallback(){super.disconnectedCallback(),this.sights.disconnect(),clearTimeout(this.timer),this.asking?.abort()}changed(e){if(`round`in e&&this.asked.clear(),`base`in e&&(this.rows=new Map([...this.rows].map(([e,t])=>[e,{...t,against:null}]))),`state`in e){let e=this.state.row===null?-1:this.names.indexOf(this.state.row);this.shown=Math.max(this.shown,e+1)}}get names(){return ka(this.runs,this.rows,this.state)}template(){let{runs:e,state:t,base:n}=this,r=this.names,i=r.slice(0,this.shown),a=r.length-i.length,o=Ua(t.pair,n,e),s=[...this.rows.values()];return S`
      <h1>Runs</h1>
      <span class="note">${P(e.length,`profile`)} in this log directory</span>
      <slot></slot>
      ${this.tools(s)}
      <p class="name critical" role="status">${this.problem}</p>
      ${this.comparison(o)}
      <p class="note" role="status">${ro(o)}</p>
      <div class="scroll" role="region" aria-label="Runs" tabindex="0">
        <table class=${s.some(({outline:e})=>e&&e.running_ratio!==null)?`watched`:``}>
          <thead>
            <tr>
              <th><span class="unseen">Baseline and selection</span></th>
              ${Ta.map(e=>this.head(e))}
            </tr>
          </thead>
          <tbody>
            ${i.map(e=>this.line(e,o))}
          </tbody>
        </table>
      </div>
      <footer class="note">
        ${P(i.length,`run`)} of ${r.length} shown
        ${a>0?S`·
                <button class="button" @click=${()=>this.shown+=$a}>Show ${Math.min(a,$a)} more</button>`:C}
        · Reports are made as rows come into view, and kept. <kbd>↑</kbd> <kbd>↓</kbd> move · <kbd>Enter</kbd> open ·
        <kbd>p</kbd> pin as baseline · <kbd>Space</kbd> select to compare · <kbd>/</kbd> filter
      </footer>
    `}comparison({base:e,now:t}){return e.length===0||t.length===0||e.length+t.length>32?C:S`<tfperf-compare
      .backend=${this.backend}
      .sides=${JSON.stringify([e,t])}
      .round=${this.round}
      @base-change=${e=>{e.stopPropagation(),this.set({pair:null})}}
    ></tfperf-compare>`}tools(e){let{state:t,base:n}=this;return S`
      <div class="tools">
        <input
          type="search"
          aria-label="Filter runs"
          placeholder="Filter by name, GPU, finding   /"
          .value=${t.filter??``}
          @keydown=${e=>{[`ArrowDown`,`Enter`].includes(e.key)&&this.links()[0]?.focus()}}
          @input=${e=>this.set({filter:e.target.value||null})}
        />
        ${Ea.filter(({id:e})=>e!==`comparable`||n!==null).map(({id:n,words:r,is:i})=>S`
            <button
              class="button"
              aria-pressed=${t.only===n}
              @click=${()=>this.set({only:t.only===n?null:n})}
            >
              ${r} ${e.filter(i).length}
            </button>
          `)}
      </div>
    `}head(e){let t=Da(this.state.sort)??Da(`recorded`),n=t?.column===e;return S`<th
      class="${e.id} ${e.kind??``}"
      aria-sort=${n?t.falling?`descending`:`ascending`:C}
      title=${e.meaning}
    >
      <button
        class="bare"
        aria-description=${e.meaning}
        @click=${()=>this.set({sort:Oa(this.state.sort??`recorded`,e.id)})}
      >
        ${e.head}${n?t.falling?` ↓`:` ↑`:``}
      </button>
    </th>`}line(e,t){let n=this.rows.get(e),r=e===this.base,i=Va(this.state.pair).includes(e),a=t.base.length+t.now.length>2;return S`<tr class=${r?`pinned`:``} .name=${e} @focusin=${()=>this.focused(e)}>
      <td class="choose">
        <input
          type="checkbox"
          aria-label="Compare ${e}"
          .checked=${i}
          @click=${()=>this.set({pair:Ka(this.state.pair,e)})}
        /><button class="bare pin" aria-pressed=${r} aria-label="Baseline ${e}" @click=${()=>this.pin(e)}>
          ${r?`★`:`☆`}</button
        >${a&&i?this.side(e,t):C}
      </td>
      <td class="run name">
        <a href="#" title=${e} @click=${t=>this.open(t,e)}>${Ei(e)}</a>
      </td>
      ${this.cells(n)}
    </tr>`}side(e,t){let n=t.base.includes(e),r=n?`before the change`:`after the change`;return S`<button
      class="bare side"
      title="${r}; a click puts it on the other side"
      aria-label="${e} is ${r}"
      @click=${()=>this.set({pair:qa(t,e)})}
    >
      ${n?`A`:`B`}
    </button>`}cells(e){let t=e?.outline;if(!t){let t=e?.error||(e?.share==null?`Waiting …`:`${k(e.share)} analyzed`),n=e?.error?t:S`<span class="quiet">${t}</span>`,r=S`<progress max="1" .value=${e?.share??0} aria-label="Share of the analysis"></progress>`;return S`<td class="recorded quiet">${e?.recorded.slice(0,10)}</td>
        <td class="name text" colspan="11">${e?.share==null||e.error?C:r}${n}</td>`}let{p50_ns:n,p95_ns:r,recoverable_ns:i,step_ns:a,evidence:o}=t,s=e=>e===null?`–`:k(e);return S`
      <td class="recorded quiet" title=${e.recorded}>${e.recorded.slice(0,10)||`–`}</td>
      <td class="gpus" title=${ln({kinds:t.gpus})}>${Ia(t)}</td>
      <td class="number step">
        ${n===null?`–`:D(n)}
        <span class="quiet">${r===null?C:`p95 ${D(r)}`}</span>
      </td>
      <td class="number running">${s(t.running_ratio)}</td>
      <td class="each">${t.lengths.length>0?Qa(t):`–`}</td>
      <td class="number compute">${s(t.compute_ratio)}</td>
      <td class="number active">${s(t.active_ratio)}</td>
      <td class="number exposed">${t.exposed_ns===null?`–`:D(t.exposed_ns)}</td>
      <td class="finding name text" title=${t.finding?.title??``}><div>${co(t)}</div></td>
      <td class="recoverable">
        ${i===null?`–`:S`${Ja(t,i)}<span
                  class="share"
                  title="${k(a?i/a:0)} of the mean step"
                  ><i style="width: ${a?Math.min(100,100*i/a):0}%"></i
                ></span>`}
      </td>
      <td class="against" title=${e.against?.sentence??``}>${this.againstCell(e)}</td>
      <td class="evidence" title=${t.lacks.join(` `)}>
        ${o===null?`–`:S`<span class="level pill ${io[o]}">${La[o]}</span>`}
      </td>
    `}againstCell({against:e}){if(this.base===null||!e)return``;let{change:t,words:n}=Ra(e);return S`<span class=${{better:`good`,worse:`worse`}[e.verdict]??``}>${t}</span> <span class="quiet">${n}</span>`}drawn(e){let t=[...this.shadowRoot.querySelectorAll(`tbody tr`)];for(let e of this.inView)t.includes(e)||this.inView.delete(e);for(let e of t)this.sights.observe(e);let n=this.shadowRoot.activeElement;n?.matches(`td.run a`)&&so(n)!==this.state.row&&this.link(this.state.row)?.focus(),`on`in e&&this.on&&this.link(this.state.row)?.focus(),Object.keys(e).some(e=>e!==`rows`&&e!==`problem`)&&this.askSoon()}link(e){return this.links().find(t=>so(t)===e)}links(){return[...this.shadowRoot.querySelectorAll(`td.run a`)]}set(e){R(this,`board-change`,e)}focused(e){this.state.row!==e&&this.set({row:e})}open(e,t){e.preventDefault(),this.focused(t),R(this,`run-change`,{run:t})}pin(e){R(this,`base-change`,{base:this.base===e?null:e})}onPageKey(e){if(!this.on)return;let t=this.links(),n=this.shadowRoot.activeElement,r=t.findIndex(e=>so(e)===this.state.row),i=r<0?null:this.state.row,a={ArrowUp:-1,ArrowDown:1}[e.key],o=t[r<0?0:n?.matches(`td.run a`)?Math.max(r+(a??0),0):r];if(a!==void 0&&o)o.focus();else if(e.key===`/`)this.shadowRoot.querySelector(`input`)?.focus();else if(e.key===`p`&&i!==null)this.pin(i);else if(e.key===` `&&i!==null&&n?.matches(`td.run a`))this.set({pair:Ka(this.state.pair,i)});else return;e.preventDefault()}askSoon(){this.on&&!this.asking&&(clearTimeout(this.timer),this.timer=window.setTimeout(()=>void this.ask()))}async ask(){let{base:e}=this,t=t=>!this.asked.has(t)||ja(this.rows.get(t),e),n=[...this.inView].map(so).filter(t);if(n.length===0||this.asking||!this.on)return;let r=Pa(n),i=this.asking=new AbortController,a=eo;try{let{rows:t,done:n}=await this.backend.board(r,e,i.signal);if(i.signal.aborted)return;n&&(a=0);for(let e of r)this.asked.add(e);let o=t.map(t=>n&&e!==null&&!t.against?{...t,against:ao}:t),s=r.filter(e=>!t.some(({run:t})=>t===e)).map(e=>({...oo,run:e}));if(this.base===e){let e=[...o,...s].map(e=>[e.run,e]);this.rows=new Map([...this.rows,...e])}this.problem=``}catch(e){if(i.signal.aborted)return;this.problem=e instanceof Error?e.message:String(e),a=10*eo}finally{this.asking=null}clearTimeout(this.timer),this.timer=window.setTimeout(()=>void this.ask(),a)}};function ro({base:e,now:t}){let n=e.length+t.length;return n>32?`At most 32 runs can be compared at once.`:n>2&&(e.length===0||t.length===0)?`All selected runs are on one side: a click on A or B puts a run on the other one.`:``}var io={strong:`strong`,fair:``,thin:`warning`,none:`critical`},ao={verdict:`cannot_compare`,change:null,why:`–`,sentence:``},oo={recorded:``,outline:null,against:null,stage:``,share:null,error:`This run is not in the log directory any more.`};function so(e){return e.closest(`tr`)?.name??``}function co({finding:e,settled:t,evidence:n}){if(t)return S`<span class="good">✓ Nothing to fix</span>`;if(n===`none`)return S`<span class="critical">No GPU events recorded</span>`;if(!e)return S`<span class="quiet">No finding</span>`;let{severity:r,title:i,others:a}=e;return S`<span class=${r} role="img" aria-label=${r}>${xa[r]}</span> ${i}
    <span class="quiet">${a>0?`+${a}`:``}</span>`}customElements.define(`tfperf-board`,no);var lo=class{constructor(){this.asking=new AbortController}stop(){this.asking.abort()}async ask(e,t){this.stop();let{signal:n}=this.asking=new AbortController;try{let r=await e(n);n.aborted||t(r,``)}catch(e){n.aborted||t(null,e instanceof v?e.message:`The step could not be projected.`)}}};function uo(e,t={}){let n=e.steps.unit?e.findings:[],r=n.find(({id:e})=>!t[e])??null,i=r?fo(e,r.id):void 0,a=n.slice(0,r?n.indexOf(r):void 0).map(({id:e})=>t[e]),o=a.length>0?`after the ${a.length===1?`one`:a.length} you marked${mo(a)}`:``;if(!r||!i?.asks){let t=i?.most?r:null;return{asks:`Verdict`,action:po(e,r,a),cause:e.verdict.checked,command:a.length===0&&e.measure||(t?.command??``),first:t,words:i,follows:o,saving:i?.saving??``,after:null,together:[]}}let s=n.filter(({id:n})=>t[n]===`done`&&fo(e,n)?.after),c=r===n[0]&&!r.saving?.once_ns?i.beside:``;return{asks:`${i.asks} ${a.length>0?`next`:`first`}`,action:r.action||r.title,cause:r.cause||r.summary,command:r.command,first:r,words:i,follows:o,saving:[i.saving,c].filter(Boolean).join(`; `),after:s.length>0?null:i.after,together:i.after&&s.length>0?[...s,r].map(({id:e})=>e):[]}}function fo({words:e},t){return e.find(e=>e.id===t)}function po({advice:e},t,n){return n.length===0?e:t?`No other finding is worth 5\xA0% of a step.`:n.includes(`done`)?`Record again: you marked every finding${mo(n)}.`:`You marked every finding${mo(n)}.`}function mo(e){return` as ${[...e.includes(`done`)?[`done`]:[],...e.includes(`irrelevant`)?[`not relevant`]:[]].join(` or `)}`}function ho({capture_quality:e,trust:t,gpus:n,advice:r}){let i=t.filter(({severity:e})=>e!==`info`);if(e?.level===`none`){let e=i.find(({id:e})=>e===`no-device-events`)??i[0]??null,t=n.total>0?`Record again where CUPTI is installed and may be used.`:`If the training uses GPUs, record it on their machine, with CUPTI installed.`;return{title:e?.title??`No GPU events recorded`,words:e?go(e,r):t,note:e,line:``}}let a=i.find(({severity:e})=>e===`critical`),o=i.find(({id:e})=>e===`too-few-steps`),s=e?.level===`thin`?a??o??i[0]:void 0;if(!s)return null;let c=s.fix.actions.concat(s.fix.summary).some(e=>e.includes(`tfperf record`))?``:_o(s);return{title:s.title,words:go(s,r),note:s,line:c}}function go({fix:e},t){return t.includes(e.summary)?``:e.summary}function _o({fix:e}){return(e.snippets[0]?.code??``).split(`
`).find(e=>e.includes(`profile_batch`))?.trim()??``}var vo={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},yo=e=>(...t)=>({_$litDirective$:e,values:t}),bo=class{constructor(e){}get _$AU(){return this._$AM._$AU}_$AT(e,t,n){this._$Ct=e,this._$AM=t,this._$Ci=n}_$AS(e,t){return this.update(e,t)}update(e,t){return this.render(...t)}},xo=`important`,So=` !`+xo,Z=yo(class extends bo{constructor(e){if(super(e),e.type!==vo.ATTRIBUTE||e.name!==`style`||e.strings?.length>2)throw Error("The `styleMap` directive must be used in the `style` attribute and must be the only part in the attribute.")}render(e){return Object.keys(e).reduce((t,n)=>{let r=e[n];return r==null?t:t+`${n=n.includes(`-`)?n:n.replace(/(?:^(webkit|moz|ms|o)|)(?=[A-Z])/g,`-$&`).toLowerCase()}:${r};`},``)}update(e,[t]){let{style:n}=e.element;if(this.ft===void 0)return this.ft=new Set(Object.keys(t)),this.render(t);for(let e of this.ft)t[e]??(this.ft.delete(e),e.includes(`-`)?n.removeProperty(e):n[e]=null);for(let e in t){let r=t[e];if(r!=null){this.ft.add(e);let t=typeof r==`string`&&r.endsWith(So);e.includes(`-`)||t?n.setProperty(e,t?r.slice(0,-11):r,t?xo:``):n[e]=r}}return qe}}),Co=3e-4,wo=I`
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
  /* Above the tick of the GPU's limits. */
  .block span {
    height: 24px;
    position: relative;
    white-space: nowrap;
    z-index: 1;
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
    line-height: 16px;
    top: calc(50% - 8px);
  }
  .small .block::before,
  .small .block span {
    height: 16px;
  }
  .small .block.chip span {
    height: 14px;
    line-height: 14px;
    margin-top: 1px;
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
`;function To(e,{label:t,full:n,kind:r=``,more:i}){let a=r===`pale`?ko:Oo;return S`<div class="track ${r}" role="img" aria-label=${[t,e.map(({words:e})=>N(e)).join(`; `)].filter(Boolean).join(`: `)}>
    ${e.filter(({ns:e})=>e>n*Co).map(e=>{let{words:t,pattern:r}=z(e.account);return S`<div
          class="block ${r} ${r!==`solid`||e.owner>0||e.account.startsWith(`copy.`)?`chip`:`plain`} ${e.owner>0?`claimed`:``}"
          style=${Z({...Do(e,n),"--colour":a(e.account)})}
          title=${N(e.words)}
          data-account=${e.account}
          data-owner=${e.owner}
        >
          <span>${D(e.ns)}</span><span>${t}</span>
        </div>`})}${i}
  </div>`}function Eo(e,t=!1){let{pattern:n}=z(e);return S`<i
    class="sample ${n} ${t?`claimed`:``}"
    style=${Z({"--colour":Oo(e)})}
    aria-hidden="true"
  ></i>`}function Do({begin_ns:e,ns:t},n){return{left:Q(e,n),right:Q(n-e-t,n)}}function Q(e,t){return`${(e/Math.max(1,t)*100).toFixed(4)}%`}function Oo(e){return`var(${z(e).colour})`}function ko(e){return`color-mix(in srgb, ${Oo(e)} 30%, var(--panel))`}function Ao(e){return S`<div class="row" aria-hidden="true">
    <span></span>
    <div class="axis">
      ${H(e/1e6).map((t,n)=>S`<span style=${Z({left:Q(t*1e6,e)})}
            >${Number(t.toPrecision(6))}${n===0?` ms`:``}</span
          >`)}
    </div>
  </div>`}function jo({basis:e,step_ns:t,blocks:n},r,i){let a=S`<i
    class="roof"
    style=${Z({left:Q(i??0,r)})}
    title="At the GPU’s limits, the work of this step needs ${D(i??0)}"
  ></i>`;return S`<div class="row" id="now">
    <div class="label">
      <div><b>Now</b><small class="name">${e}</small></div>
    </div>
    ${To(n,{label:`Now, ${D(t)}`,full:r,more:i?a:C})}
    <div class="number"><b>${D(t)}</b><small>100&nbsp;%</small></div>
  </div>`}function Mo({name:e,step_ns:t,blocks:n},r){return S`<div class="row bar">
    <div class="label"><small class="name">${e}</small></div>
    ${To(n,{label:`${e}, ${D(t)}`,full:r,kind:`small bare`})}
    <div class="number"><small>${D(t)}</small></div>
  </div>`}function No(e,{bound:t},n,r,i){let a=B(e),o=Po(a,i,t);return S`<div class="row" id="projected">
    <div class="label">
      <div>
        <b><tfperf-term word="Projected"></tfperf-term></b><small>${n||`\xA0`}</small>
      </div>
    </div>
    ${To(e,{label:`Projected, ${o}`,full:r,more:a<i?S`<i class="gone" style=${Z(Do({begin_ns:a,ns:i-a},r))}></i>`:C})}
    <div class="number"><b class=${a<i?`gain`:``}>${o}</b><small>${er(i,a)}</small></div>
  </div>`}function Po(e,t,n){return`${n&&e<t?`≥\xA0`:``}${D(e)}`}function Fo(e,{finding:{id:t,severity:n,title:r,action:i},rank:a,selected:o,owner:s,mark:c},l,u){let d=t=>()=>R(e,`finding-hover`,{id:t}),f=c?{done:`✓`,irrelevant:`–`}[c]:xa[n];return S`<div
    class="row finding ${c?`marked`:``}"
    data-finding=${t}
    ?data-selected=${o}
    ?data-owner=${s}
    @click=${()=>R(e,`finding-select`,{id:t})}
    @pointerenter=${d(t)}
    @pointerleave=${d(null)}
    @focusin=${d(t)}
    @focusout=${d(null)}
  >
    <div class="label">
      ${l}<span class="pill rank ${n}" title=${n} aria-hidden="true">${a}&nbsp;${f}</span>
      <button class="bare pick" aria-pressed=${o}>
        <span class="unseen">${a}, ${n}${c?`, marked as ${St[c]}`:``}: </span
        ><b class="name">${r}</b>${i?S`<small class="name">${i}</small>`:C}
      </button>
    </div>
    ${u}
  </div>`}function Io({ns:e,begin_ns:t},{title:n,cause:r,saving:i},a,o,{ticked:s,full:c,step:l}){let u=o.length===0,d=e=>S`<i class="edge" style=${Z({left:Q(e,c)})}></i>`;return S`
    ${To(o,{label:u?`${n}: ${D(e)} of a step, averaged over all steps`:`${n}, claims ${D(e)}`,full:c,kind:s?``:`pale`,more:u?C:S`${d(t)}${d(t+e)}
            <div class="why" style=${Z({right:Q(c-t,c)})}>
              <span>${N(a?.beside||r)}</span>
            </div>`})}
    <div class="number">
      <b>−${D(e)}</b><small>${u?`on average`:k(e/Math.max(1,l))}</small>
      ${i?.once_ns?S`<small>${N(a?.saving??``)}</small>`:C}
    </div>
  `}function Lo(e,t,n,r){return e<=t?C:S`<button class="button more" @click=${r}>${e-t>64?`Show 64 more of`:`Show all`} ${P(e,n)}</button>`}function Ro({legend:e,rest:t,active_ratio:n,hidden:r},i){return S`<ul class="legend" aria-label="Accounts of the step">
    ${zo(e)}
    ${i?S`<li>${Eo(`idle.unknown`,!0)}<span>striped: a finding claims it</span></li>`:C}
    ${t?S`<li>${N(t)}</li>`:C}
    <li class="end">
      <span
        ><tfperf-term word="GPU active"></tfperf-term>
        <b>${k(n)}</b>${r&&N(` · ${r}`)}</span
      >
    </li>
  </ul>`}function zo(e){return e.map(({id:e,ns:t,ratio:n})=>S`<li>
        ${Eo(e)}<span
          ><tfperf-text .text=${z(e).words}></tfperf-text> <b>${D(t)}</b> ${k(n)}</span
        >
      </li>`)}var Bo=[{head:`Account`,cell:({words:e})=>e},K(`Now`,({now:e})=>D(e)),K(`Share`,({now:e,step:t})=>k(e/Math.max(1,t))),K(`Claimed`,({claimed:e})=>e>0?D(e):``),{head:`Why`,cell:({why:e})=>Object.assign(document.createElement(`tfperf-text`),{text:e}),kind:`name`}];function Vo({blocks:e,step_ns:t},{idle:n}){let r=[...new Set(e.map(({account:e})=>e))].map(r=>{let i=e.filter(({account:e})=>e===r),a=n.find(({account:e})=>e===r)?.sentence??``,o=B(i.filter(({owner:e})=>e>0));return{words:z(r).words,now:B(i),step:t,claimed:o,why:a}}),i=B(e.filter(({owner:e})=>e>0));return S`<tfperf-table
    class="fold"
    heading="The numbers as a table"
    .columns=${Bo}
    .items=${[...r,{words:`Step`,now:t,step:t,claimed:i,why:``}]}
  ></tfperf-table>`}function Ho(e,t,n){let{hosts:r,host_time:i,steps:a}=e,o=tr(e);return i?S`
      ${Ao(i.step_ns)} ${jo(i,i.step_ns,null)}
      ${i.kinds.map(({id:e,ns:t,ratio:n})=>Uo(e,n,S`${D(t)}<small>${k(n)}</small>`))}
      <ul class="legend" aria-label="Parts of the step">
        ${zo(i.blocks.map(({account:e,ns:t})=>({id:e,ns:t,ratio:t/i.step_ns})))}
      </ul>
    `:o.length===0?C:S`
    <p class="empty note">
      ${a.count>0?`Nothing ran on the GPUs in the steps that the host marks.`:`No step can be told apart, so there are no ms per step.`}
      Kernels and copies run so much of the recording, waiting in collectives included.
    </p>
    ${o.slice(0,t).map(({host:e,device:t,busy_ratio:n})=>Uo(on({host:e,device:t},r.length>1),n,k(n)))}
    ${n}
    <p class="empty note name">${lr(e)}</p>
  `}function Uo(e,t,n){return S`<div class="row bar">
    <div class="label"><small class="name">${e}</small></div>
    <div class="track small"><div class="ran" style=${Z({width:Q(t,1)})}></div></div>
    <div class="number"><b>${n}</b></div>
  </div>`}var Wo=I`
  ${wo}
  :host {
    --label: minmax(0, 340px);
    --number: 128px;
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 10px;
    font-size: 13.5px;
    font-variant-numeric: tabular-nums;
  }
  header {
    align-items: baseline;
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    padding: 8px 18px 0;
  }
  header .note {
    flex: 1 1 200px;
  }
  h2 {
    font-size: 14.5px;
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
  .row[data-owner] {
    box-shadow: inset 3px 0 var(--accent);
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
    flex: none;
    font-size: 12px;
    line-height: 20px;
    min-width: 20px;
    padding: 0 4px;
    text-align: center;
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
  }
  .gain {
    color: var(--good);
  }
  .axis {
    height: 18px;
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
  .legend {
    border-top: 1px solid var(--line);
    font-size: 12.5px;
    gap: 3px 16px;
    margin-top: 5px;
    padding: 5px 18px 6px;
  }
  .legend b {
    color: var(--ink);
    font-weight: 500;
  }
  .legend .end {
    margin-left: auto;
  }
  .former {
    visibility: hidden;
  }
  .below,
  .fold {
    border-top: 1px solid var(--line);
    font-size: 12.5px;
    padding: 3px 18px;
  }
  .below p:empty {
    display: none;
  }
  .others {
    border-top: 1px solid var(--line);
    padding: 2px 0;
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
  .empty:empty {
    display: none;
  }
  .ran {
    background: var(--accent);
    height: 12px;
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
    .row > span {
      display: none;
    }
  }
`,Go=class extends L{constructor(...e){super(...e),this.ask=null,this.without=null,this.selected=null,this.owner=null,this.marks={},this.choice=``,this.count=8,this.rows=64,this.found=null,this.asking=!1,this.problem=``,this.touched=!1,this.newest=new lo}static{this.styles=Wo}static{this.properties={report:Object,ask:Object,without:String,selected:String,owner:String,marks:Object,choice:String,count:Number,rows:Number,found:Object,asking:Boolean,problem:String,touched:Boolean}}changed(e){`report`in e&&(this.hidden=nr(this.report)===null,this.count=8,this.rows=64,this.touched=!1,rr(this.report).some(({id:e})=>e===this.choice)||(this.choice=ir(this.report)))}template(){let{report:e}=this,{budget:t}=e,n=tr(e),r=t&&ar(t,this.choice),i=this.average&&this.claims.length>0?` Untick a finding to project without it.`:``;return S`
      <header>
        <h2 id="title" tabindex="-1">${nr(e)}</h2>
        <span class="note">${r?`${r.about}${i}`:e.host_time?.about??``}</span>
        ${t?this.switch():C}
      </header>
      ${t&&r?this.chart(t,r):Ho(e,this.count,Lo(n.length,this.count,`GPU`,()=>this.count+=64))}
      ${this.others()}
    `}drawn(e){if(![`report`,`ask`,`without`].some(t=>t in e))return;let{ask:t,ticked:n}=this;this.newest.stop(),this.problem=``,this.asking=t!==null&&this.told&&this.claims.length>0,(`report`in e||!this.asking)&&(this.found=null),t&&this.asking&&this.newest.ask(e=>t(n.map(({id:e})=>e),e),(e,t)=>{this.asking=!1,this.found=e,this.problem=t})}get claims(){return this.report.budget?.claims??[]}get ticked(){let e=Qn(this.without,this.claims);return this.claims.filter(({id:t})=>e.includes(t))}get told(){return this.touched||this.without!==null}get average(){return this.choice!==`rare`&&this.report.steps.groups.length===0}switch(){let e=rr(this.report);return e.length<2?C:S`<span class="switch" role="group" aria-label="Whose time">
      ${e.map(({id:e,words:t})=>S`<button aria-pressed=${e===this.choice} @click=${()=>this.choose(e)}>
            <span class="name">${t}</span>
          </button>`)}
    </span>`}choose(e){this.choice=e,this.count=8}chart(e,t){let{average:n,choice:r,report:i}=this,{step_ns:a,blocks:o}=t,s=sr(i,r),c=s.slice(0,this.count),l=Math.max(1,a,...c.map(({step_ns:e})=>e)),u=r===`rare`?[]:e.claims,d=i.ledger?.compute_floor_ns??null,f={steps:`step`,gpus:`GPU`}[r]??`host`,{ticked:p}=this,m=p.map(({id:e})=>e),h=Xn(o,new Set(p.map(({rank:e})=>e)),Zn(i,m,a)),ee=this.told?!this.asking&&this.found?.fixed||``:e.fixed;return S`
      ${Ao(l)}
      ${jo(t,l,n&&o[0]?.ns===d?d:null)}
      ${c.map(e=>Mo(e,l))}
      ${Lo(s.length,this.count,f,()=>{this.count+=64})}
      ${u.slice(0,this.rows).map(e=>this.claim(e,t,l))}
      ${Lo(u.length,this.rows,`finding`,()=>this.rows+=64)}
      ${n&&u.length>0?No(h,e,ee,l,a):C}
      ${Ro(t,n&&u.length>0)}
      ${n?this.stays(e,Po(B(h),a,e.bound)):C}
      ${n?Vo(t,i):C}
    `}claim(e,{blocks:t,step_ns:n},r){let{id:i,rank:a}=e,o=this.report.findings[a-1];if(!o)return C;let s=this.ticked.includes(e),c=this.average?t.filter(({owner:e})=>e===a):[],l=S`<input
      type="checkbox"
      aria-label="Include in the projection: ${o.title}"
      .checked=${s}
      @click=${e=>e.stopPropagation()}
      @change=${()=>this.tick(i)}
    />`,u=Io(e,o,fo(this.report,i),c,{ticked:s,full:r,step:n});return this.line(o,a,this.average?l:C,u)}line(e,t,n,r){let{id:i}=e,a={finding:e,rank:t,selected:i===this.selected,owner:i===this.owner,mark:this.marks[i]};return Fo(this,a,n,r)}stays({stays:e,claims:t,held:n},r){let i=lr(this.report),a=this.told&&t.length>0,o=a?this.found?.limits??[]:n?[n]:[],s=a?this.problem?`Projected ${r}. ${this.problem}`:N(this.found?.said??``):``;return S`
      <div class="below" ?hidden=${!i}><p class="name">${i}</p></div>
      <div class="below" ?hidden=${!e}>
        <p><b>What stays:</b> ${N(e)}</p>
      </div>
      <div class=${s||o.length>0?`below ${this.asking?`former`:``}`:`unseen`}>
        <p id="said" role="status">${s}</p>
        <ul class="limits" aria-label="What limits the projection" ?hidden=${o.length===0}>
          ${o.map(e=>S`<li>${N(e)}</li>`)}
        </ul>
      </div>
    `}others(){let e=new Set(this.claims.map(({id:e})=>e)),t=this.report.findings.map((e,t)=>({finding:e,rank:t+1})).filter(({finding:t})=>!e.has(t.id)||t.explains.length>0);return t.length===0?C:S`<ul class="others" aria-label="Findings without a block, and what others explain">
        ${t.slice(0,this.rows).map(({finding:t,rank:n})=>S`<li>
                ${e.has(t.id)?C:this.line(t,n,C,C)}
                ${t.explains.map(({title:e,severity:t})=>S`<span class="folded name">${xa[t]} ${e}: explained by ${n}</span>`)}
              </li>`)}
      </ul>
      ${Lo(t.length,this.rows,`finding`,()=>this.rows+=64)}`}tick(e){let t=this.claims.map(({id:e})=>e).filter(t=>this.ticked.some(e=>e.id===t)!==(t===e));this.touched=!0,R(this,`without-change`,{without:$n(t,this.claims)})}onPageKey({key:e}){let t=this.report.findings.map(({id:e})=>e),n=t.indexOf(this.selected??``);e===`x`&&this.claims.some(({id:e})=>e===this.selected)&&this.average&&this.tick(this.selected);let r={j:n+1,k:Math.max(0,n-1)}[e],i=r===void 0?void 0:t[Math.min(r,t.length-1)];i!==void 0&&i!==this.selected&&R(this,`finding-select`,{id:i})}};customElements.define(`tfperf-budget`,Go);var Ko=class extends L{constructor(...e){super(...e),this.words=``,this.text=``,this.link=``,this.said=``,this.shown=``}static{this.styles=I`
    :host {
      display: inline;
    }
    button {
      color: var(--accent);
      font-size: 13px;
      font-weight: 400;
      min-height: 24px;
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
  `}static{this.properties={words:String,text:String,link:String,said:String,shown:String}}changed(e){(`link`in e||`text`in e)&&(this.said=this.shown=``)}template(){return S`
      <button class="bare" @click=${this.copy}>${this.words}</button
      ><span role="status" class="note"> ${this.said}</span>
      <input readonly .value=${this.shown} aria-label=${this.words} ?hidden=${!this.shown} />
    `}async copy(){let e=this.link?Vn(this,`link`,{id:this.link})??``:this.text,t=await mt(e);if(this.said=t?`Copied`:`Press Ctrl+C to copy:`,this.shown=t?``:e,t)return;this.drawNow();let n=this.shadowRoot.querySelector(`input`);n?.focus(),n?.select()}};customElements.define(`tfperf-copy`,Ko);var qo=class extends L{constructor(...e){super(...e),this.brief=!1}static{this.styles=I`
    li {
      border-bottom: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 0 12px;
      justify-content: space-between;
      overflow-wrap: anywhere;
      line-height: 20px;
      padding: 2px 0;
    }
    .sentence {
      --first-letter: uppercase;
    }
    .sentence::first-letter {
      text-transform: uppercase;
    }
    b {
      font-weight: 600;
      margin-left: auto;
      text-align: right;
    }
    small {
      color: var(--ink-2);
      flex: 1 0 100%;
      font-size: 12.5px;
      line-height: 17px;
    }
    small.brief {
      align-self: center;
      flex: none;
    }
  `}static{this.properties={items:Array,brief:Boolean}}template(){return S`<ul>
      ${this.items.map(e=>{let t=[an(e),this.brief?``:e.source].filter(Boolean).join(` · `);return S`<li>
          <span class=${/^\p{L}/u.test(e.label)?`sentence`:``}><tfperf-text .text=${e.label}></tfperf-text></span>
          <b>${M(e.value,e.unit)}</b>
          <small class=${this.brief?`brief`:``} ?hidden=${!t}>${t}</small>
        </li>`})}
    </ul>`}};customElements.define(`tfperf-evidence`,qo);var Jo=class extends L{constructor(...e){super(...e),this.code=``,this.framework=``,this.said=``}static{this.styles=I`
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
      overflow: auto hidden;
      overflow-wrap: normal;
      padding: 8px 12px 10px;
      white-space: pre;
    }
    .copy {
      border-radius: 4px;
      color: var(--accent);
      font-size: 12.5px;
      padding: 3px 8px;
    }
  `}static{this.properties={code:String,framework:String,said:String}}changed(e){`code`in e&&(this.said=``)}template(){let{framework:e,said:t}=this;return S`
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
    `}async onCopy(){let e=await mt(this.code);e||window.getSelection()?.selectAllChildren(this.child(`code`)),this.said=e?`Copied`:`Selected: press Ctrl+C`}};customElements.define(`tfperf-code`,Jo);var Yo=class extends L{constructor(...e){super(...e),this.level=4}static{this.styles=I`
    .head {
      align-items: baseline;
      display: flex;
      gap: 6px;
      margin-bottom: 2px;
    }
    h4 {
      font-size: 13px;
      margin: 0;
    }
    ol {
      padding-left: 20px;
    }
    p,
    ol {
      font-size: 13.5px;
      line-height: 19px;
    }
    li {
      padding-left: 2px;
    }
    summary {
      color: var(--accent);
      line-height: 24px;
      margin-top: 2px;
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
    .links a {
      display: inline-block;
      line-height: 24px;
    }
    .links {
      display: flex;
      flex-wrap: wrap;
      gap: 2px 16px;
      margin-top: 2px;
      overflow-wrap: anywhere;
    }
  `}static{this.properties={fix:Object,guide:Object,rule:String,level:Number,snippet:Object}}changed(e){`fix`in e&&(this.snippet=this.fix.snippets[0])}template(){let{fix:e,snippet:t}=this,{summary:n,actions:r,snippets:i}=e,a=[...new Set(i.map(({framework:e})=>e))].join(`, `);return S`
      <div class="head">
        <h4 id="do" aria-level=${this.level}>Do this</h4>
        <tfperf-copy words="Copy this fix" .text=${Xo(e,t)}></tfperf-copy>
      </div>
      <p ?hidden=${!n}>${n}</p>
      <ol aria-labelledby="do" ?hidden=${r.length===0}>
        ${r.map(e=>S`<li>${e}</li>`)}
      </ol>
      <details>
        <summary>${a?`Code for ${a}, and links`:`Links`}</summary>
        ${t?S`<div class="frameworks" ?hidden=${i.length<2}>
                  ${i.map(e=>S`<button
                        class="bare framework"
                        aria-pressed=${e===t}
                        @click=${()=>this.snippet=e}
                      >
                        ${e.framework}
                      </button>`)}
                </div>
                <tfperf-code .framework=${t.framework} .code=${t.code}></tfperf-code>`:C}
        <ul class="links note">
          ${this.links().map(({title:e,href:t})=>S`<li>${t?S`<a href=${t} target="_blank" rel="noopener">${e}</a>`:e}</li>`)}
        </ul>
      </details>
    `}links(){let{guide:e}=this,t=[...e?[{title:`Guide: ${e.section}`,url:e.url}]:[],...this.fix.links];return[{title:`How this is measured`,href:ce(document.baseURI,this.rule)},...t.map(e=>({title:e.title.trim()||e.url,href:ue(e.url)}))]}};function Xo({summary:e,actions:t},n){let r=t.map((e,t)=>`${t+1}. ${e}`),i=n?[``,`${n.framework}:`,n.code]:[];return[e,...r,...i].filter((e,t)=>e||t>0).join(`
`)}customElements.define(`tfperf-fix`,Yo);var Zo=`severity`,Qo={passed:`would pass`,not_applicable:`would not apply`,missing_data:`could not be checked`,errors:`would fail`};function $o(e,t,n){return`${e}:${t}:${n}`}function es(e){return`With ${e.tried.map(e=>`${rn(e.value,e.unit)} instead of ${rn(e.default,e.unit)} (${e.rule===`severity`?`${e.rule} `:``}${e.name})`).join(` and `)}:`}function ts(e,t,n){let[r,i]=[ns(e),ns(t)],a=[...i].flatMap(([e,t])=>{let i=r.get(e);return i?rs(i,t,n.includes(e)):[]});return a.length>0&&e.advice!==t.advice&&a.push(`The advice would be: ${t.advice}`),a}function ns(e){let t=new Map,n=(r,i)=>{let a=e.words.find(({id:e})=>e===r.id)?.saving??``;t.set(r.id,{title:r.title,place:i,finding:r,reason:``,saving:a});for(let e of r.explains)n(e,`under “${r.title}”`)};for(let t of[...e.trust,...e.findings])n(t,``);for(let n of Object.keys(Qo))for(let{id:r,title:i,reason:a}of e[n])t.set(r,{title:i,place:n,finding:null,reason:a,saving:``});return t}function rs(e,t,n){let r=`“${t.title}”`;if(!t.finding){let i=`${Qo[t.place]}: ${t.reason}`;return e.finding?[`“${e.title}” would no longer be found; it ${i}`]:e.place!==t.place||n&&e.reason!==t.reason?[`${r} ${i}`]:[]}if(!e.finding){let{severity:e,where:n,summary:i}=t.finding,a=n.length>0?`, ${P(n.length,`place`)}`:``,o=t.saving&&`, ${t.saving}`;return[`${r} would be found${t.place&&` ${t.place}`}: ${e}${o}${a}. ${i}`]}let i=[];e.finding.severity!==t.finding.severity&&i.push(`be ${t.finding.severity} instead of ${e.finding.severity}`),e.place!==t.place&&i.push(t.place?`be listed ${t.place}`:`be a finding of its own`),e.finding.saving?.ns!==t.finding.saving?.ns&&i.push(`save ${t.saving||`nothing by itself`}`),e.finding.confidence!==t.finding.confidence&&i.push(`have ${t.finding.confidence} confidence`);let a=e.finding.summary===t.finding.summary?[]:[`${r} would say: ${t.finding.summary}`];return[...i.length>0?[`${r} would ${i.join(`, `)}.`]:[],...a]}var is=class extends L{constructor(...e){super(...e),this.limits=[],this.heading=``,this.changes=[],this.busy=!1,this.asked=0}static{this.styles=I`
    :host {
      background: var(--ground);
      border-radius: 8px;
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
      list-style: disc;
      padding-left: 20px;
    }
  `}static{this.properties={limits:Array,heading:String,changes:Array,busy:Boolean}}connectedCallback(){super.connectedCallback(),this.load(this.rule)}template(){let{limits:e,heading:t,changes:n}=this;return S`
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
            ${e.map(({rule:e,threshold:t,words:n,value:r})=>S` <tr>
                  <td>${n}</td>
                  <td class="number">${r}</td>
                  <td class="note">${t.source}</td>
                  <td>
                    ${t.fixed?S`<span class="note" title="It is applied before rules judge, or by several parts."
                            >not here</span
                          >`:S`<input
                            data-threshold=${$o(e,t.id,``)}
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
          ${n.map(e=>S`<li class="name">${e}</li>`)}
        </ul>
      </div>
    `}async load(e){try{let{rules:t,severities:n}=await Vn(this,`thresholds`)??{rules:{},severities:[]},r=(e,t,n)=>({rule:e,threshold:t,words:n,value:rn(t.value,t.unit)});this.limits=[...(t[e]??[]).map(t=>r(e,t,t.name)),...n.map(e=>r(Zo,e,`severity ${e.name} from`))]}catch(e){this.heading=e.message}}async onTry(e){e.preventDefault();let t=[...this.shadowRoot.querySelectorAll(`input`)].filter(({value:e})=>e.trim()!==``);if(t.length===0){this.forget(),this.heading=`Type another value beside a threshold.`,this.shadowRoot.querySelector(`input`)?.focus();return}let n=this.forget();this.busy=!0,this.heading=`Judging with that…`;try{let e=t.map(({dataset:e,value:t})=>`${e.threshold}${t.trim()}`),r=await Vn(this,`try-out`,{tried:e});if(n!==this.asked||!r)return;this.changes=ts(r.base,r.other,[this.rule]),this.heading=`${es(r.other)}${this.changes.length>0?``:` nothing would change.`}`}catch(e){n===this.asked&&(this.heading=e.message)}finally{n===this.asked&&(this.busy=!1)}}forget(){return this.heading=``,this.changes=[],this.busy=!1,++this.asked}};customElements.define(`tfperf-thresholds`,is);var as=class extends L{constructor(...e){super(...e),this.of=``,this.open=!1}static{this.styles=I`
    button {
      color: var(--accent);
      font-size: 13px;
      min-height: 24px;
    }
    tfperf-thresholds {
      margin-top: 6px;
    }
  `}static{this.properties={rule:String,of:String,open:Boolean}}changed(e){`rule`in e&&(this.open=!1)}template(){return S`
      <button class="bare" aria-expanded=${this.open} aria-label="Thresholds: ${this.of}" @click=${this.onToggle}>
        Thresholds
      </button>
      ${this.open?S`<tfperf-thresholds .rule=${this.rule}></tfperf-thresholds>`:C}
    `}onToggle(){this.open=!this.open}};customElements.define(`tfperf-limits`,as);var os=.01,ss=.5,cs=4;function ls({begin:e,end:t}){return`${Math.round(e)}-${Math.round(t)}`}function us(e){let[,t,n]=/^(\d{1,15})-(\d{1,15})$/.exec(e??``)??[];return Number(n)>Number(t)?{begin:Number(t),end:Number(n)}:null}function ds(e,t){if(!t)return[];let n=e.claims.filter(e=>e.finding===t.id);return n.length>0?n.map(({row:e,begin_ns:t,end_ns:n})=>({row:e,begin:t,end:n})):Wi(e,t.where).filter(({row:t})=>e.rows[t]?.kernels===!1)}function fs({claims:e,rows:t},{row:n,begin:r,end:i}){let a=t[n]?.kernels?n-1:n,o=new Map;for(let t of e){let e=Math.min(t.end_ns,i)-Math.max(t.begin_ns,r);t.row===a&&e>0&&o.set(t.finding,(o.get(t.finding)??0)+e)}let[s]=[...o].sort((e,t)=>t[1]-e[1]);return s&&s[1]>=(i-r)/2?s[0]:null}function ps(e,t,n=``){let r=t.findIndex(t=>t.id===e);if(r>=0)return`claimed by ${r+1} ${t[r]?.title??``}`;let i=t.findIndex(({saving:e})=>(e?.accounts[n]??0)>0);if(i<0)return`no finding claims it`;let a=t[i]?.saving?.accounts[n]??0;return`no finding points here; ${i+1} claims ${D(a)} of ${z(n).words} per step`}function ms({ledger:e,hosts:t,stragglers:n},r){let i=e?.devices_total??0,a=new Set([n[0]?.host??t[0],r?.host??n[0]?.host??t[0]]);return(i>8?5:i)+3*a.size}function hs(e,{rows:t,length_ns:n},r){let i=Math.max(0,...t.map(({behind_ns:e})=>e??0)),a=os*n;if(e.behind_ns===null||e.kernels||i<a)return null;let o=r.find(({host:t,device:n})=>t===e.host&&n===e.name),s=`Behind the first GPU, in this step.${o?` Of all steps, ${D(o.behind_ns)} in the median. ${o.cause}`:``}`.trim();if(e.behind_ns<a)return e.behind_ns===0?{words:`first`,late:!1,meaning:s}:null;let c=e.behind_ns===i;return{words:`${c?`late `:``}+${D(e.behind_ns)}`,late:c,meaning:s}}function gs({others:e}){if(!e)return``;let{count:t,low_ns:n,high_ns:r}=e;return`${t} more ${t===1?`GPU`:`GPUs`}, ${Zt(n,r)} behind`}function _s(e){let t=e.flatMap(({is_gpu:e,sums_ns:t})=>e?[]:Object.entries(t)),n=new Map;for(let[e,r]of t)n.set(e,Math.max(r,n.get(e)??0));return n.size>1&&n.delete(`host.step`),[...n].filter(([,e])=>e>0).sort((e,t)=>t[1]-e[1]).map(([e,t])=>`${z(e).words} ${D(t)}`).join(` · `)}function vs({waits:e},{row:t,begin:n,end:r}){let i=e=>Math.min(e.end_ns,r)-Math.max(e.begin_ns,n);return e.filter(e=>e.row===t&&i(e)>0).reduce((e,t)=>e&&i(e)>=i(t)?e:t,null)}function ys(e,t,n){let r=on(e,t);return`${D(e.end_ns-e.begin_ns)} in ${e.call} for ${r}${n&&`, which ${n}`}`}var bs=/^[nr]ccl/i;function xs(e){let t=e.rows.filter(({is_gpu:e,kernels:t})=>e&&!t),n=e=>e.filter(([,e])=>e>0).sort((e,t)=>t[1]-e[1]).slice(0,cs).map(([e,n])=>`${e} ${D(n/t.length)}`).join(` · `),r=new Map;for(let[e,n]of t.flatMap(({sums_ns:e})=>Object.entries(e)))r.set(e,(r.get(e)??0)+n);let i=new Map;for(let[n,r]of t.flatMap(t=>Cs(e,t)))i.set(n,(i.get(n)??0)+r);return{gpus:n([...r].map(([e,t])=>[z(e).words,t])),kernels:n([...i].map(([e,t])=>[dn(e),t])),host:_s(e.rows)}}function Ss(e,t){return Cs(e,t).slice(0,2).map(([e,t])=>`${dn(e)} ${D(t)}`).join(` · `)}function Cs({rows:e,names:t,begin_ns:n,end_ns:r},i){let a=new Map;for(let{host:o,name:s,kernels:c,code:l,begin_ns:u,end_ns:d}of e)c&&o===i.host&&s===i.name&&l.forEach((e,i)=>{let o=t[e]??``;if(bs.test(o))return;let s=Math.min(d[i]??0,r)-Math.max(u[i]??0,n);a.set(o,(a.get(o)??0)+Math.max(s,0))});return[...a].sort((e,t)=>t[1]-e[1])}function ws(e,{host:t,device:n}){let{rows:r}=e,i=r.find(e=>e.is_gpu&&!e.kernels&&e.host===t&&e.name===n),[a]=Object.entries(i?.sums_ns??{}).sort((e,t)=>t[1]-e[1]);if(!a)return``;let[o]=Cs(e,{host:t,name:n});return a[0]===`compute`&&o&&o[1]>=ss*a[1]?`is in ${dn(o[0])}`:`has ${z(a[0]).words}`}function Ts(e){let t=new Map;for(let n of e)t.set(n.step,[...t.get(n.step)??[],n]);let n=e=>{let t=e.map(e=>e.first_kernel_ns);return Math.max(...t)-Math.min(...t)};return[...t.values()].sort((e,t)=>n(t)-n(e))[0]??[]}var Es=560,Ds=64,Os=.02;function ks(e){let t=[...e].sort((e,t)=>e.own_ns-t.own_ns),[n,r]=[t[0]?.own_ns??0,t.at(-1)?.own_ns??0],i=Math.max((r-n)*.04,(Os*r-(r-n))/2,1),[a,o]=[n-i,r+i],s=e=>(e-a)/(o-a),[c,l]=e.length>Ds?[5,16]:[9,5],u=[],d=e=>Math.ceil(e.hosts.length/l)*c/2/Es;for(let e of t){let t={at:s(e.own_ns),hosts:[e]};for(let e=u.at(-1);e&&e.at+d(e)>t.at-d(t);e=u.at(-1)){u.pop();let[n,r]=[e.hosts.length,t.hosts.length];t={at:(e.at*n+t.at*r)/(n+r),hosts:[...e.hosts,...t.hosts]}}u.push(t)}let f=u.flatMap(({at:e,hosts:t})=>{let n=Math.ceil(t.length/l),r=Math.min(Math.max(e,d({hosts:t})),1-d({hosts:t}));return t.map(({host:t,own_ns:i,slow:a},o)=>({host:t,own_ns:i,slow:a,words:`${t}: ${D(i)}${a?`, slow`:``}`,share:e,left:`calc(${(r*100).toFixed(2)}% + ${((Math.floor(o/l)-n/2)*c).toFixed(1)}px)`,level:o%l}))}),[,p=1]=H(o-a),m=Math.ceil(a/p);return{dots:f,ticks:Array.from({length:Math.floor(o/p)-m+1},(e,t)=>(m+t)*p).map((e,t)=>({words:`${Number((e/1e6).toPrecision(6))}${t===0?` ms`:``}`,share:s(e)})),pitch:c,height:Math.max(1,...f.map(({level:e})=>e+1))*c+2}}var As=6e4;function js(e,t){let n=document.createElement(`a`);n.href=URL.createObjectURL(e),n.download=t,n.click(),setTimeout(()=>URL.revokeObjectURL(n.href),As)}var Ms=class extends L{constructor(...e){super(...e),this.viewer=`Perfetto`,this.said=``,this.problem=``,this.saving=new AbortController,this.href=``}static{this.styles=I`
    :host {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 2px 10px;
      min-width: 0;
    }
    .note a {
      line-height: 24px;
    }
    .problem {
      color: var(--critical);
    }
  `}static{this.properties={run:String,place:Object,viewer:String,said:String,problem:String}}changed(){let e=se(document.baseURI,this.target);e!==this.href&&(this.href=e,this.saving.abort(),this.said=this.problem=``)}template(){let{place:e,viewer:t}=this,n=on({host:e.host,device:e.device??``},!0).trim(),r=S`<a href="https://ui.perfetto.dev" target="_blank" rel="noopener">ui.perfetto.dev</a>`;return S`
      <a class="button" href=${this.href} download @click=${this.onSave}>Save as trace</a>
      <span class="note name">${n}, ${O(e.begin_ms,e.end_ms)}</span>
      <span class="note"
        >${t===`Nsight Systems`?S`Open it at ${r}, or the .nsys-rep file in Nsight Systems.`:S`Open it, or the file itself, at ${r}.`}</span
      >
      <span class="note name" role="status">${this.said}</span>
      <span class="note name problem" role="alert">${this.problem}</span>
    `}disconnectedCallback(){super.disconnectedCallback(),this.saving.abort()}get target(){let{host:e,begin_ms:t,end_ms:n}=this.place;return{run:this.run,host:e,beginMs:t,endMs:n}}onSave(e){if(e.ctrlKey||e.metaKey||e.shiftKey||e.button!==0)return;this.saving.abort();let{signal:t}=this.saving=new AbortController,n=Vn(this,`save-trace`,{target:this.target,signal:t});n&&(e.preventDefault(),this.said=`Saving …`,this.problem=``,n.then(({content:e,name:n,note:r})=>{t.aborted||(js(e,n),this.said=`Saved. ${r}`.trim())},e=>{t.aborted||(this.said=``,this.problem=e instanceof Error?e.message:String(e))}))}};customElements.define(`tfperf-save-trace`,Ms);function Ns(e){return Number(/\d+$/.exec(e??``)?.[0]??0)>1}function Ps({run:e,viewer:t},n,r){if(t!==`XProf`)return S`<tfperf-save-trace .run=${e} .place=${n} .viewer=${t}></tfperf-save-trace>`;let{host:i,device:a,begin_ms:o,end_ms:s}=n;if(r===null)return C;let c=fe(r,i);return c?S`<span class="note">${c}</span>`:S`<a class="button" href=${ie(document.baseURI,{run:e,host:i,beginMs:o,endMs:s})} target="_blank" rel="noopener">Open in trace viewer</a
    ><span class="note" ?hidden=${!Ns(a)}
      >It shows the first GPUs on top: scroll to ${F(a??``)}.</span
    >`}var Fs=e=>e===null?`not recorded`:D(e),Is=[{head:`GPU`,cell:({device:e})=>F(e)},K(`First launch`,e=>Fs(e.first_launch_ns)),K(`First kernel`,e=>Fs(e.first_kernel_ns)),{head:`Launched by thread`,cell:({thread:e})=>e||`not recorded`,kind:`name`}],Ls=class extends L{constructor(...e){super(...e),this.access=null,this.mark=null,this.opened=null,this.told=!1,this.alone=!1}static{this.styles=I`
    :host {
      min-width: 0;
      padding: 10px 18px;
    }
    header {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
      min-height: 24px;
    }
    /* Only names that somebody made up to harm are longer; the whole title is its tooltip. */
    h2 {
      -webkit-box-orient: vertical;
      -webkit-line-clamp: 3;
      display: -webkit-box;
      flex: 1;
      /* Explained words above each other are 24 px apart, as fingers need it. */
      line-height: 24px;
      min-width: 150px;
      overflow: hidden;
      overflow-wrap: anywhere;
    }
    h3 {
      color: var(--ink-2);
      font-size: 13px;
      margin: 10px 0 2px;
    }
    h4 {
      display: inline;
      font: inherit;
      overflow-wrap: anywhere;
    }
    header .button {
      padding: 1px 10px;
    }
    .rank {
      color: var(--ink-2);
      font-weight: 600;
    }
    .why,
    tfperf-fix {
      margin-top: 8px;
    }
    summary {
      color: var(--accent);
      line-height: 24px;
      margin-top: 4px;
    }
    .inner {
      border: 1px solid var(--line);
      border-radius: 8px;
      margin-top: 6px;
      padding: 0 10px;
    }
    .inner summary {
      color: var(--ink);
      margin: 0;
      padding: 7px 0;
    }
    .inner[open] {
      padding-bottom: 10px;
    }
    .inner > summary .note {
      white-space: nowrap;
    }
    .place {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 4px 8px;
      margin-top: 8px;
    }
    .place p {
      flex: 1 0 100%;
    }
    .actions {
      align-items: center;
      border-top: 1px solid var(--line);
      display: flex;
      flex-wrap: wrap;
      gap: 4px 10px;
      margin-top: 10px;
      padding-top: 8px;
    }
    .actions button {
      border-radius: 4px;
      color: var(--accent);
      font-size: 13px;
      min-height: 24px;
      padding: 0 4px;
    }
    .actions [aria-pressed='true'] {
      background: var(--info-ground);
    }
  `}static{this.properties={report:Object,finding:Object,access:Object,mark:String,opened:String,told:Boolean,alone:Boolean}}template(){let{report:e,finding:t}=this,{id:n,title:r,severity:i,action:a,cause:o,summary:s,evidence:c,saving:l,fix:u,guide:d,explains:f}=t,{findings:p}=e,m=p.indexOf(t),h=(e,t,n)=>{let r=p[m+e];return S`<button
        class="button"
        aria-label=${t}
        ?disabled=${!r}
        @click=${()=>r&&R(this,`finding-select`,{id:r.id})}
      >
        ${n}
      </button>`};return S`
      <header>
        <span class="rank">${m+1}</span>
        <h2 id="title" class="name" tabindex="-1" title=${r}><tfperf-text .text=${r}></tfperf-text></h2>
        <tfperf-severity .severity=${i}></tfperf-severity>
        ${h(-1,`Previous finding`,`↑`)} ${h(1,`Next finding`,`↓`)}
      </header>
      ${a&&!u.summary?S`<p class="why name"><b>${a}</b></p>`:C}
      <p class="why name" ?hidden=${o&&this.told}><tfperf-text .text=${o||s}></tfperf-text></p>
      <tfperf-fix .fix=${u} .guide=${d} .rule=${n} .level=${3}></tfperf-fix>
      ${c.length>0?S`<h3>How we know</h3>
              <p class="known name" ?hidden=${!o}><tfperf-text .text=${s}></tfperf-text></p>
              <tfperf-evidence .items=${c.slice(0,3)} .brief=${!0}></tfperf-evidence>`:C}
      ${c.length>0||l?S`<details class="more">
              <summary>
                ${c.length>0?`${P(c.length,`measurement`)}, with sources`:`More`}
              </summary>
              <tfperf-evidence .items=${c}></tfperf-evidence>
              ${this.starts()}
              <p class="note" ?hidden=${!l}>How the saving was estimated: ${l?.basis}</p>
            </details>`:C}
      ${this.alone&&t.where.length>0?S`<h3>Places</h3>
              ${t.where.map(e=>this.place(e))}`:C}
      ${f.length>0?S`<h3>Also explains</h3>
              ${f.map(e=>this.inner(e))}`:C}
      <div class="actions">
        <tfperf-copy id="agent" words="Copy for agent" .text=${fo(e,n)?.agent}></tfperf-copy>
        <tfperf-copy words="Link" .link=${n}></tfperf-copy>
        ${this.marking(`done`,`Done`)} ${this.marking(`irrelevant`,`Not relevant`)}
        <tfperf-limits .rule=${n} .of=${r}></tfperf-limits>
      </div>
    `}onPageKey({key:e}){e===`c`&&this.child(`agent`).copy()}marking(e,t){let n=this.mark===e;return S`<button
      class="bare"
      aria-pressed=${n}
      @click=${()=>R(this,`mark`,{id:this.finding.id,mark:n?null:e})}
    >
      ${t}
    </button>`}starts(){let{stagger:e}=this.report,t=this.finding.id===`gpu-stagger`&&e?Ts(e.items):[];return t.length>0?S`<tfperf-table
          heading="Start of each GPU in step ${t[0]?.step}"
          .columns=${Is}
          .items=${t}
          note="From the first kernel of the step on any GPU; launches come before it."
        ></tfperf-table>`:C}inner(e){let{id:t,title:n,severity:r,summary:i,evidence:a,fix:o,guide:s,where:c}=e;return S`<details class="inner" data-finding=${t} ?open=${t===this.opened}>
      <summary>
        <tfperf-severity .severity=${r}></tfperf-severity>
        <h4 class="name">${n}</h4>
        <span class="note">${N(fo(this.report,t)?.saving??``)}</span>
      </summary>
      <p class="name"><tfperf-text .text=${i}></tfperf-text></p>
      <tfperf-evidence .items=${a}></tfperf-evidence>
      ${c.slice(0,1).map(e=>this.place(e))}
      <tfperf-fix .fix=${o} .guide=${s} .rule=${t} .level=${5}></tfperf-fix>
      <tfperf-copy words="Link" .link=${t}></tfperf-copy>
      <tfperf-limits .rule=${t} .of=${n}></tfperf-limits>
    </details>`}place(e){return S`<div class="place">
      <p class="note name">${[e.label,sn(e)].filter(Boolean).join(`: `)}</p>
      ${this.alone||e.step===null?C:S`<button class="button" @click=${()=>R(this,`show-in-timeline`,{place:e})}>
              Show in timeline
            </button>`}
      ${Ps(this.report,e,this.access)}
    </div>`}};customElements.define(`tfperf-chosen-finding`,Ls);function Rs({findings:e,hosts:t},n,r,i){return n.where.length===0?C:S`<div class="places" role="group" aria-label="Places of this finding, worst first">
    <span class="note">Places of finding ${e.indexOf(n)+1}</span>
    ${n.where.slice(0,6).map((e,n,a)=>S`<button
        class="button name"
        title=${e.label}
        aria-pressed=${r!==null&&Us(e,r)}
        @click=${()=>i(e)}
      >
        ${zs(e,n,a,t.length>1)}
      </button>`)}
    <span class="note">Key <kbd>n</kbd>: next</span>
  </div>`}function zs(e,t,n,r){let i=({step:e,host:t,device:n,label:i})=>[e===null?``:`Step ${e}`,r?t:``,n===null?``:F(n)].filter(Boolean).join(` · `)||i;return n.some((n,r)=>r!==t&&i(n)===i(e))?`${i(e)} · ${O(e.begin_ms,e.end_ms)}`:i(e)}function Bs(e,t){return S`<p class="note">
      ${e?`Single kernels of this run are not kept: it is too large. `:``}Click a span, or choose it with the
      arrow keys and Enter: this says whose time it is, and what the host did meanwhile. Shift + drag measures a range.
    </p>
    <div class="line" ?hidden=${!t}>${t??C}</div>`}function Vs(e,t){let{whole:n,mark:r,row:i}=t,a=i.is_gpu?fs(n,r):null,o=i.is_gpu?ps(a,e,t.account):``;return S`
    <dl>
      <dt>Selected</dt>
      <dd>
        <b>${`${ji(i,n.hosts.length>1)} · ${O(r.begin/1e6,r.end/1e6)}`}</b> · ${t.what},
        ${D(r.end-r.begin)}${a?S`, <button class="bare" @click=${()=>t.select(a)}>${o}</button>`:o&&`, ${o}`}
      </dd>
      ${$(`Launched`,t.launched&&`by ${t.launched}`)} ${$(`Waits`,t.late)} ${$(`Kernels`,t.ran)}
      ${$(`Host`,t.did)}
    </dl>
    <div class="line">
      ${t.link}
      <button class="button" @click=${t.back}>Back to finding <kbd>Esc</kbd></button>
    </div>
  `}function Hs({begin:e,end:t},n,r,i){let a=r.rows.filter(({is_gpu:e,kernels:t})=>e&&!t).length,o=r.others?`Mean of those shown`:a>1?`Mean GPU`:`GPU`;return S`
    <dl>
      <dt>Range</dt>
      <dd><b>${O(e/1e6,t/1e6)}</b> · ${D(t-e)}</dd>
      ${$(o,n?.gpus??``)} ${$(`Kernels`,n?.kernels??``)} ${$(`Host`,n?.host??``)}
    </dl>
    <div class="line">
      <button class="button" @click=${i}>Back to finding <kbd>Esc</kbd></button>
    </div>
  `}function $(e,t){return t?S`<dt>${e}</dt>
        <dd title=${t}>${t}</dd>`:C}function Us(e,t){return e.host===t.host&&e.device===t.device&&e.begin_ms===t.begin_ms&&e.end_ms===t.end_ms}var Ws=class extends L{constructor(...e){super(...e),this.hosts=[],this.chosen=null,this.at=null}static{this.styles=I`
    :host {
      margin-bottom: 14px;
    }
    header {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 0 10px;
    }
    #dots,
    .axis {
      margin: 0 12px;
      position: relative;
    }
    #dots {
      border-bottom: 1px solid var(--control-line);
      margin-top: 8px;
    }
    i {
      cursor: pointer;
      height: var(--pitch);
      position: absolute;
      width: var(--pitch);
    }
    i::before {
      background: var(--account-compute);
      border-radius: 50%;
      content: '';
      inset: 1px;
      position: absolute;
    }
    .slow::before {
      background: var(--critical);
    }
    i:hover::before,
    :focus-visible > .at::before {
      box-shadow: 0 0 0 2px var(--accent);
    }
    i[aria-selected='true']::before {
      box-shadow:
        0 0 0 2px var(--panel),
        0 0 0 4px var(--accent);
    }
    .name {
      font-size: 12px;
      line-height: 11px;
      pointer-events: none;
      position: absolute;
      white-space: nowrap;
    }
    .name span {
      display: inline-block;
      max-width: 220px;
      overflow: hidden;
      text-overflow: ellipsis;
      vertical-align: bottom;
    }
    .axis {
      height: 17px;
    }
  `}static{this.properties={hosts:Array,chosen:String,at:String}}template(){let{hosts:e,chosen:t,at:n}=this,{dots:r,ticks:i,pitch:a,height:o}=ks(e),s=n??t,c=Math.max(r.findIndex(({host:e})=>e===s),0),l=r.filter(({slow:e,host:t})=>e||t===s).slice(-2);return S`
      <header>
        <h2>Own step time of each host</h2>
        <span class="note">mean step without waiting for other GPUs · one dot a host</span>
      </header>
      <div
        id="dots"
        role="listbox"
        tabindex="0"
        aria-label="Hosts by own step time"
        aria-orientation="horizontal"
        aria-activedescendant="dot-${c}"
        style="--pitch:${a}px;height:${Math.max(o,14)}px"
        @keydown=${e=>this.onKey(e,r,c)}
        @blur=${()=>this.at=null}
      >
        ${r.map(({host:e,words:n,slow:r,left:i,level:o},s)=>S`<i
              class="${r?`slow`:``} ${s===c?`at`:``}"
              role="option"
              id="dot-${s}"
              aria-selected=${e===t}
              aria-label=${n}
              title=${n}
              style="left:${i};bottom:${o*a}px"
              @click=${()=>this.choose(e)}
            ></i>`)}
        ${l.map(({host:e,own_ns:t,slow:n,share:r,left:i,level:o})=>S`<div
            class="name"
            aria-hidden="true"
            style=${Z({...r>.5?{right:`calc(100% - ${i} + 4px)`}:{left:`calc(${i} + ${a+4}px)`},bottom:`${o*a}px`})}
          >
            <span>${e}</span> <b>${D(t)}</b>${n?` slow`:C}
          </div>`)}
      </div>
      <div class="axis" aria-hidden="true">
        ${i.map(({words:e,share:t})=>S`<span style="left:${(t*100).toFixed(2)}%">${e}</span>`)}
      </div>
    `}choose(e){this.at=e,R(this,`host-choose`,{host:e===this.chosen?null:e})}onKey(e,t,n){let{key:r}=e,i=t.length-1,a={ArrowLeft:n-1,ArrowDown:n-1,ArrowRight:n+1,ArrowUp:n+1,Home:0,End:i}[r],o=t[Math.min(Math.max(a??n,0),i)]?.host;if(o!==void 0){if(a!==void 0)this.at=o;else if(r===`Enter`||r===` `)this.choose(o);else return;e.preventDefault()}}};customElements.define(`tfperf-host-dots`,Ws);var Gs=32,Ks=4,qs=class extends L{constructor(...e){super(...e),this.chosen=null,this.marked=[]}static{this.styles=I`
    :host {
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
    /* Longer than there is room for. */
    .cut {
      border-top: 4px double var(--ink);
    }
    .placed {
      text-decoration: underline;
      text-decoration-color: var(--accent);
      text-decoration-thickness: 2px;
    }
  `}static{this.properties={steps:Object,chosen:String,marked:Array}}template(){let{columns:e}=this.steps,t=Mr(e.map(({step_ns:e,judged:t,outlier:n})=>({ns:e,judged:t,outlier:n}))),n=Math.max(e.findIndex(({id:e})=>e===this.chosen),0);return S`<div role="listbox" aria-label="Steps" aria-orientation="horizontal" @keydown=${this.onKey}>
        ${e.map((e,r)=>{let i=this.marked.includes(e.id),a=Xs(e,i);return S`<button
            class="bare"
            role="option"
            id="step-${r}"
            aria-selected=${r===n&&this.chosen!==null}
            aria-label=${a}
            title=${a}
            tabindex=${r===n?0:-1}
            @click=${()=>R(this,`step-change`,{id:e.id})}
          >
            <i
              class="${e.judged?``:`out`} ${t(e.step_ns)>1?`cut`:``}"
              style="height:${(Math.min(t(e.step_ns),1)*Gs).toFixed(1)}px;background:${Ys(e)}"
            ></i>
            <span class=${i?`placed`:``}>${e.outlier?`◆`:``}${e.number}</span>
          </button>`})}
      </div>
      ${e.length>0&&e.every(({accounts:e})=>Js(e)===0)?S`<p class="note">Height: step time. Gray: no GPU was recorded, so a step has no accounts.</p>`:C}`}onKey(e){let t=[...this.shadowRoot.querySelectorAll(`[role=option]`)],n=t.indexOf(this.shadowRoot.activeElement),r={ArrowLeft:n-1,ArrowRight:n+1,Home:0,End:t.length-1}[e.key];r!==void 0&&(e.preventDefault(),t[r]?.focus({preventScroll:!0}))}};function Js(e){return Object.values(e).reduce((e,t)=>e+t,0)}function Ys({accounts:e,step_ns:t}){let n=0,r=Jn(Object.entries(e).map(([e,t])=>({id:e,ns:t}))).map(({id:e,ns:r})=>{let i=n;return n+=100*r/t,`var(${z(e).colour}) ${i.toFixed(2)}% ${n.toFixed(2)}%`});return r.length>0?`linear-gradient(to top, ${r.join(`, `)})`:`var(--account-unknown)`}function Xs({number:e,step_ns:t,accounts:n,outlier:r,judged:i,note:a},o){let s=Object.entries(n).sort(([,e],[,t])=>t-e).slice(0,Ks).map(([e,n])=>`${z(e).words} ${D(n)} (${k(n/t)})`);return[`Step ${e}: ${D(t)}`,r?`outlier: much longer than the others`:``,a||(i?``:`left out of the averages`),s.join(`, `),o?`a place of this finding lies here`:``].filter(Boolean).join(` · `)}customElements.define(`tfperf-step-strip`,qs);var Zs=I`
  :host {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 10px;
    display: grid;
    grid-template-columns: minmax(0, 1fr);
  }
  :host([beside]) {
    grid-template-columns: minmax(0, min(36%, 560px)) minmax(0, 1fr);
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
    padding: 10px 18px;
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
  header .button {
    font-size: 13px;
    line-height: 22px;
    padding: 0 10px;
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
    min-height: 136px;
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
  /* Rows of terms, which are buttons, far enough apart to be hit. */
  #legend {
    min-height: 98px;
    row-gap: 6px;
  }
  /* What the host did and who came last take a line each; the tooltip has all of it. */
  dd[title] {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  dd button {
    color: var(--accent);
    text-decoration: underline;
  }
  #table {
    margin-top: 6px;
    min-height: 24px;
  }
  /* Of a host alone there is less to say, and few kinds of work. */
  :host([hosts-only]) .selected {
    min-height: 84px;
  }
  :host([hosts-only]) #legend {
    min-height: 0;
  }
  /* What saves a range takes a line by itself where there is less room. */
  :host([saves]) .selected {
    padding-bottom: 6px;
  }
  @media (max-width: 1399px) {
    :host([saves]) .selected {
      min-height: 178px;
    }
  }
  @media (min-width: 1400px) {
    .selected {
      min-height: 118px;
    }
    #legend {
      min-height: 72px;
    }
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
`,Qs=300,$s=`300px`,ec=[{head:`Row`,cell:({row:e})=>e,kind:`name`},{head:`What`,cell:({what:e})=>e},{head:`From`,cell:({begin:e})=>D(e),kind:`number`,value:({begin:e})=>-e},{head:`Length`,cell:({length:e})=>D(e),kind:`number`,value:({length:e})=>e}],tc=class extends L{static{this.styles=Zs}static{this.properties={report:Object,access:Object,ask:Object,locked:String,hovered:String,step:String,zoom:String,marks:Object,target:Object,near:Boolean,host:String,whole:Object,chosen:Object,did:String,late:String,ran:String,range:Object,rangeSays:Object,seen:String,problem:String,kernels:Boolean,arrows:Boolean,lines:Array,tableNote:String}}constructor(){super(),this.access=null,this.ask=null,this.locked=null,this.hovered=null,this.step=null,this.zoom=null,this.marks={},this.target=null,this.near=!1,this.whole=null,this.chosen=null,this.did=``,this.late=``,this.ran=``,this.range=null,this.rangeSays=null,this.seen=``,this.host=null,this.problem=``,this.kernels=!1,this.arrows=!0,this.lines=[],this.tableNote=``,this.shown=null,this.left=null,this.awaited=null,this.place=null,this.keep=null,this.loading=new AbortController,this.refining=new AbortController,this.telling=new AbortController,this.watcher=null,this.asked=``,this.addEventListener(`span-choose`,e=>{e.stopPropagation();let{mark:t}=e.detail;this.choose(t)}),this.addEventListener(`range-choose`,e=>{e.stopPropagation(),this.measure(e.detail.range)}),this.addEventListener(`host-choose`,e=>{e.stopPropagation(),this.host=e.detail.host}),this.addEventListener(`view-rest`,()=>this.settle())}get timed(){return this.report.steps.columns.length>0}get finding(){let{findings:e}=this.report,{locked:t}=this;return e.find(({id:e,explains:n})=>e===t||n.some(e=>e.id===t))??e[0]}changed(e){let{report:t}=this;`report`in e&&(this.host=null);let n=t.findings.length>0&&this.timed;n!==this.hasAttribute(`beside`)&&this.shadowRoot.querySelector(`#plot`)?.remeasure(),this.toggleAttribute(`beside`,n),this.toggleAttribute(`hosts-only`,t.ledger===null),this.toggleAttribute(`saves`,t.viewer!==`XProf`),(`report`in e||`step`in e||`locked`in e)&&(this.shown=At(this.step,this.finding?.where??[],t)),(`locked`in e||`report`in e)&&(this.place=jt(this.finding?.where??[],t)??null),`target`in e&&(this.awaited=this.target,this.place=this.target??this.place)}template(){let{report:e,finding:t,timed:n}=this;return S`
      ${t?S`<tfperf-chosen-finding
              .report=${e}
              .finding=${t}
              .access=${this.access}
              .mark=${this.marks[t.id]??null}
              .opened=${this.locked}
              .told=${t===e.findings[0]}
              .alone=${!n}
            ></tfperf-chosen-finding>`:C}
      ${n?this.timeline():C}
    `}timeline(){let{report:e,whole:t,problem:n,shown:r,finding:i,hovered:a,chosen:o,place:s,range:c}=this,{steps:l,findings:u,omitted:d}=e,f=u.find(({id:e})=>e===a)??i,p=d.find(({what:e})=>e===`timeline`)?.sentence??``,m=t?.rows.map(n=>hs(n,t,e.stragglers))??[],h=s&&[null,r].includes(kt(s,e))?s:null;return S`
      <section aria-labelledby="head">
        ${e.by_host.length>1?S`<tfperf-host-dots .hosts=${e.by_host} .chosen=${this.host}></tfperf-host-dots>`:C}
        ${this.head()}
        ${l.columns.length>1?S`<tfperf-step-strip
                .steps=${l}
                .chosen=${r}
                .marked=${(i?.where??[]).map(t=>kt(t,e))}
              ></tfperf-step-strip>`:C}
        <p class="note name" ?hidden=${!p}>${p}</p>
        <p class="note" role="alert" ?hidden=${!n}>${n}</p>
        <tfperf-timeline-plot
          id="plot"
          .marks=${t?ds(t,f):[]}
          .chosen=${o}
          .tags=${m}
          .wait=${o&&t?vs(t,o):null}
          .arrows=${this.arrows}
          .range=${c}
          .expected=${ms(e,this.place)}
          ?hidden=${n}
        ></tfperf-timeline-plot>
        <p class="note" ?hidden=${!t?.others}>${t?gs(t):``}</p>
        ${i?Rs(e,i,h,e=>this.goThere(e)):C}
        <div class="selected" role="status">
          ${c&&t?Hs(c,this.rangeSays,t,()=>this.back()):o&&t?this.selection(t,o):this.hint()}
        </div>
        <p id="seen" class="note" role="status">${this.seen}</p>
        <div id="table">
          <tfperf-table
            ?hidden=${!t}
            heading="What is in view, as a table"
            .columns=${ec}
            .items=${this.lines}
            .note=${this.tableNote}
          ></tfperf-table>
        </div>
        <ul id="legend" class="legend" aria-label="What the rows show"></ul>
      </section>
    `}head(){let{report:e,shown:t}=this,{steps:n,hosts:r,ledger:i}=e,a=n.columns.find(({id:e})=>e===t),o=[a?D(a.step_ns):``,a?.outlier?`outlier: much longer than the others`:``,a?.note??``],s=(e,t)=>S`<button class="button" aria-pressed=${this[e]} @click=${()=>this[e]=!this[e]}>
        ${t}
      </button>`;return S`
      <header>
        <h2 id="head">Timeline, step ${a?.number??t??``}</h2>
        <span class="note">${o.filter(Boolean).join(` · `)}</span>
        <label ?hidden=${r.length<2}
          >Host
          <select id="host" @change=${this.onHost}>
            <option value="" .selected=${this.host===null}>all ${r.length}</option>
            ${r.map(e=>S`<option value=${e} .selected=${e===this.host}>${e}</option>`)}
          </select>
        </label>
        ${i?S`${s(`kernels`,`Kernel rows`)} ${s(`arrows`,`Launch arrows`)}`:C}
        <button class="button" aria-label="Zoom out" @click=${()=>this.plot.zoomOut()}>−</button>
        <button class="button" aria-label="Zoom in" @click=${()=>this.plot.zoomIn()}>+</button>
        <button class="button" @click=${()=>this.plot.showAll()}>Whole step</button>
      </header>
    `}hint(){let{report:e,whole:t,place:n,access:r}=this;return Bs(this.kernels&&t!==null&&!t.rows.some(({kernels:e})=>e),n&&Ps(e,n,r))}selection(e,t){let{report:n,access:r,late:i,did:a,ran:o}=this,s=e.rows[t.row];if(!s)return C;let c=this.plot.wordsOf(t),l=Gi(e,{...t,end:Math.min(t.end,s.length_ns)},c);return Vs(n.findings,{whole:e,mark:t,row:s,what:c,late:i,did:a,ran:o,launched:Ui(this.plot.spans??e,t),account:s.kernels?`compute`:e.codes[this.code(t)]??``,link:Ps(n,l,r),select:e=>R(this,`finding-select`,{id:e}),back:()=>this.back()})}code({row:e,begin:t}){let n=this.plot.spans?.rows[e];return(n&&n.code[Ii(n,t)])??-1}drawn(e){`target`in e&&this.target&&this.onTarget(),(`ask`in e||`report`in e)&&(this.asked=``),[`report`,`step`,`locked`,`ask`,`near`,`kernels`,`host`].some(t=>t in e)?this.load():`zoom`in e&&!(`target`in e)&&this.applyZoom()}connectedCallback(){super.connectedCallback(),this.watcher=new IntersectionObserver(e=>this.near||=e.some(({isIntersecting:e})=>e),{rootMargin:$s}),this.watcher.observe(this)}disconnectedCallback(){super.disconnectedCallback(),this.watcher?.disconnect();for(let e of[this.loading,this.refining,this.telling])e.abort()}request(e,t,n){let{shown:r,host:i,kernels:a,keep:o}=this;return{step:r??``,host:i,begin_ns:e,end_ns:t,width:n,keep:o,kernels:a}}async load(){let{report:e,shown:t,ask:n,near:r,kernels:i,place:a}=this;if(t===null||!n||!r)return;this.keep=a?.device?{host:a.host,device:a.device}:null;let o=this.request(0,null,this.plot.width),s=JSON.stringify([e.run,{...o,width:0}]);if(this.asked===s&&this.whole){this.applyZoom();return}this.loading.abort(),this.loading=new AbortController,this.refining.abort();let{signal:c}=this.loading;this.asked=s,this.plot.classList.add(`wait`);try{let e=await n(o,c);if(c.aborted)return;let t=this.whole?.step===e.step&&this.whole.rows.some(e=>e.kernels)!==i?this.plot.view:null;this.problem=``,this.chosen&&this.leave(this.chosen),this.whole=e,this.plot.show(e),this.choose(this.awaited?null:this.leftIn(e)),this.awaited?this.goTo(this.awaited):t?this.plot.move(t):this.applyZoom(),this.tell(),this.child(`legend`).replaceChildren(...Ki(e).map(e=>Kr(z(e),...Ti(Ai(e)))))}catch(e){if(c.aborted)return;this.asked=``,this.problem=e instanceof Error?e.message:String(e)}this.plot.classList.remove(`wait`)}get plot(){return this.child(`plot`)}onTarget(){this.near=!0,this.whole?.step===this.shown&&this.goTo(this.target)}goTo(e){let[t]=this.whole&&e?Wi(this.whole,[e]):[];t&&this.whole&&(this.awaited=null,this.plot.move(Fi(t,this.whole.length_ns)))}applyZoom(){if(!this.whole||ls(this.plot.view)===this.zoom)return;let e=us(this.zoom);e&&e.end<=this.whole.length_ns?this.plot.move(e):this.awaited||this.plot.showAll()}settle(){let{whole:e}=this;if(!e||e.step!==this.shown)return;this.tell();let{view:t}=this.plot,n=t.begin<=0&&t.end>=e.length_ns;R(this,`zoom-change`,{zoom:n?null:ls(t)}),this.refine()}tell(){let{whole:e}=this,{view:t,spans:n}=this.plot;if(!e||!n)return;let r=t.end-t.begin>=e.length_ns?`The whole step, ${D(e.length_ns)}`:`${O(t.begin/1e6,t.end/1e6)} of ${D(e.length_ns)}`,i=n.merged_below_ns>0?` Neighbors shorter than ${D(n.merged_below_ns)} are drawn as one; zoom in to part them.`:``,a=e.hosts.length>1?`; hosts aligned at its start`:``;this.seen=`${r}${a}.${i}`,this.list()}async refine(){let{whole:e,ask:t}=this,{view:n,spans:r,width:i}=this.plot,a=n.end-n.begin;if(!e||!t||!r||r.merged_below_ns<=a/i)return;let o=Math.floor(Math.max(n.begin-a,0)),s=Math.ceil(Math.min(n.end+a,e.length_ns));if(r.begin_ns===o&&r.end_ns===s)return;this.refining.abort(),this.refining=new AbortController;let{signal:c}=this.refining;try{let n=await t(this.request(o,s,3*i),c);if(c.aborted||this.whole!==e)return;this.plot.fine=n,this.list()}catch{}}list(){let{spans:e,view:t}=this.plot;if(!e)return;let{lines:n,total:r}=Bi(e,t,Qs);this.lines=n,this.tableNote=r>n.length?`The longest ${n.length} of ${P(r,`span`)} in view.`:``}choose(e){let{whole:t,ask:n}=this;this.chosen=e,this.range=null,this.did=this.late=this.ran=``,this.telling.abort();let r=e?t?.rows[e.row]:void 0;if(R(this,`owner`,{id:e&&t&&r?.is_gpu?fs(t,e):null}),!e||!r?.is_gpu||!t||!n)return;let i=t.codes[this.code(e)],a=i===`communication.wait`&&!r.kernels?vs(t,e):null,o=t.hosts.length>1;this.telling=new AbortController;let{signal:s}=this.telling,c=(e,t,{host:r,device:i},a)=>{let o=this.request(Math.max(Math.floor(e),0),Math.ceil(t),this.plot.width);n({...o,host:r,keep:{host:r,device:i},kernels:!0},s).then(e=>{s.aborted||a(e)},()=>void 0)};c(e.begin,e.end,{host:r.host,device:r.name},e=>{this.did=_s(e.rows),i===`compute`&&!r.kernels&&(this.ran=Ss(e,r))}),a&&(this.late=ys(a,o,``),c(a.arrives_ns-(a.end_ns-a.begin_ns),a.arrives_ns,a,e=>{this.late=ys(a,o,ws(e,a))}))}measure(e){let{whole:t,ask:n}=this;if(this.choose(null),!e||!t||!n)return;this.range=e,this.rangeSays=null,this.telling=new AbortController;let{signal:r}=this.telling;n({...this.request(Math.floor(e.begin),Math.ceil(e.end),this.plot.width),kernels:!0},r).then(e=>{r.aborted||(this.rangeSays=xs(e))},()=>void 0)}leave(e){let t=this.whole?.rows[e.row];this.left=t&&this.whole?{step:this.whole.step,row:t,mark:e}:null}leftIn({step:e,rows:t}){let{left:n}=this,r=t.findIndex(({host:e,name:t,kernels:r})=>e===n?.row.host&&t===n.row.name&&r===n.row.kernels);return n&&n.step===e&&r>=0?{...n.mark,row:r}:null}onHost(e){this.host=e.target.value||null}back(){this.chosen??this.range?(this.plot.focusPlot(),this.choose(null)):R(this,`timeline-back`)}onPageKey(e){let{key:t}=e;if(!this.timed)return;let n=e.composedPath();if(t===`Escape`&&(n.includes(this)||n[0]===document.body)&&this.back(),!this.near)return;let{columns:r}=this.report.steps,i=r.findIndex(({id:e})=>e===this.shown),a={"[":r[i-1],"]":r[i+1]}[t];if(a)R(this,`step-change`,{id:a.id});else if(t===`n`)this.nextPlace();else if(t===`+`)this.plot.zoomIn();else if(t===`-`)this.plot.zoomOut();else if(t===`0`)this.plot.showAll();else if(t===`m`)this.measure(this.plot.view);else return;e.preventDefault()}goThere(e){R(this,`show-in-timeline`,{place:e})}nextPlace(){let{place:e}=this,t=(this.finding?.where??[]).slice(0,6),n=t[(t.findIndex(t=>e!==null&&Us(t,e))+1)%Math.max(t.length,1)];n&&this.goThere(n)}};customElements.define(`tfperf-finding-timeline`,tc);var nc=[{head:`Findings`,keys:[[`j k`,`next or previous finding`],[`x`,`tick or untick it: what the step would take without it`],[`n`,`its next place on the timeline`],[`c`,`copy it for an agent`],[`Esc`,`back to where you were`]]},{head:`Timeline`,keys:[[`[ ]`,`previous or next step`],[`+ − 0`,`zoom in, out, to the whole step`],[`← →`,`pan, once the timeline has the focus`],[`↑ ↓`,`row above or below`],[`Enter`,`lock a span`],[`m`,`measure what is in view; Shift + drag measures a range`]]},{head:`Runs`,keys:[[`r`,`all runs`],[`p`,`pin a run as baseline, or unpin it`],[`/`,`filter the runs`],[`↑ ↓`,`run above or below`],[`Enter`,`open the run`],[`Space`,`select two runs to compare`]]},{head:`Help`,keys:[[`?`,`these keys`]]}],rc=class extends L{constructor(...e){super(...e),this.act=Pn()}static{this.styles=I`
    :host {
      display: inline-block;
      margin-top: 8px;
    }
    dialog {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      color: var(--ink);
      max-width: min(760px, 92vw);
      padding: 16px 22px;
    }
    dialog::backdrop {
      background: rgb(0 0 0 / 40%);
    }
    header {
      align-items: center;
      display: flex;
      justify-content: space-between;
    }
    .parts {
      display: grid;
      gap: 0 28px;
      grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr));
    }
    h3 {
      font-size: 13px;
      margin: 12px 0 4px;
    }
    dl {
      display: grid;
      font-size: 13px;
      gap: 4px 12px;
      grid-template-columns: 66px minmax(0, 1fr);
    }
    dt {
      white-space: nowrap;
    }
    kbd {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 4px;
      font: inherit;
      padding: 0 5px;
    }
    label {
      border-top: 1px solid var(--line);
      display: block;
      margin-top: 14px;
      padding-top: 10px;
    }
  `}static{this.properties={act:Boolean}}onPageKey(e){e.key===`?`&&(e.preventDefault(),this.open())}template(){return S`
      <button class="button" aria-haspopup="dialog" @click=${this.open}>Keys</button>
      <dialog id="dialog" aria-labelledby="head">
        <header>
          <h2 id="head">Keys</h2>
          <button class="button" @click=${()=>this.dialog.close()}>Close</button>
        </header>
        <div class="parts">
          ${nc.map(({head:e,keys:t})=>S`<section>
                <h3>${e}</h3>
                <dl>
                  ${t.map(([e,t])=>S`<dt>${e.split(` `).map(e=>S`<kbd>${e}</kbd> `)}</dt>
                        <dd>${t}</dd>`)}
                </dl>
              </section>`)}
        </div>
        <label>
          <input id="act" type="checkbox" .checked=${this.act} @change=${this.onChange} /> Single keys act; without
          this, letters and signs do nothing outside the timeline
        </label>
      </dialog>
    `}get dialog(){return this.child(`dialog`)}open(){this.act=Pn(),this.dialog.open||this.dialog.showModal()}onChange(){this.act=this.child(`act`).checked,Fn(this.act)}};customElements.define(`tfperf-keys`,rc);var ic=class extends L{constructor(...e){super(...e),this.open=null}static{this.styles=I`
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
    .title {
      align-items: baseline;
      display: flex;
      flex-wrap: wrap;
      gap: 0 16px;
      justify-content: space-between;
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
  `}static{this.properties={report:Object,open:String}}template(){let{open:e}=this,t=oc(this.report).filter(([,e])=>e.length>0);return S`
      <div class="groups">
        ${t.map(([t,n])=>S` <button
              class="bare group"
              aria-expanded=${t===e}
              aria-controls="rows"
              @click=${()=>this.open=t===e?null:t}
            >
              <b>${j(n.length)}</b>${` ${t}`}
            </button>`)}
      </div>
      <div id="rows">
        ${t.map(([t,n,r])=>t===e?S`<ul class="rows" aria-label=${t}>
                ${n.map(e=>ac(e,r))}
              </ul>`:C)}
      </div>
    `}};function ac({id:e,title:t,reason:n,how:r},i){return S`
    <li>
      <div class="title">
        <h3 class="name">${t}</h3>
        ${i?S`<a
                class="note"
                href=${ce(document.baseURI,e)}
                target="_blank"
                rel="noopener"
                aria-label="How this is measured: ${t}"
                >How this is measured</a
              >`:C}
      </div>
      <p class="reason">${n}</p>
      <p class="note reason" ?hidden=${!r}>${r}</p>
      ${i?S`<tfperf-limits .rule=${e} .of=${t}></tfperf-limits>`:C}
    </li>
  `}function oc(e){let t=e.anomalies.map(e=>({id:e.name,title:`${e.name} (${j(e.count)})`,reason:e.sentence,how:e.severity===`data_loss`?`Part of the recorded data could not be used.`:``}));return[[`failed while checking`,e.errors,!0],[`passed`,e.passed,!0],[`could not be checked, and how to`,e.missing_data,!0],[e.not_applicable.length===1?`does not apply`:`do not apply`,e.not_applicable,!0],[`to check by hand`,e.manual,!1],[t.length===1?`oddity in the file`:`oddities in the file`,t,!1]]}customElements.define(`tfperf-checks`,ic);var sc=44;function cc(e,t=sc,n){let r=dn(e,t,n);if(!e)return`not named`;let i=document.createElement(`span`);return i.textContent=r,i.className=`elided`,r===e||(i.title=e,i.tabIndex=0,i.addEventListener(`focus`,()=>i.textContent=e),i.addEventListener(`blur`,()=>i.textContent=r)),i}var lc={choice:``,text:``},uc=72,dc=32,fc=12,pc=class extends L{constructor(...e){super(...e),this.folded=!1,this.open=!1,this.filter=lc,this.wide=!1,this.all=!1,this.made=new Map,this.shown=[]}static{this.styles=I`
    .tools {
      align-items: center;
      display: flex;
      flex-wrap: wrap;
      gap: 8px 20px;
      margin: 0 0 4px;
    }
    label {
      align-items: center;
      display: flex;
      font-size: 13px;
      gap: 8px;
    }
    input {
      width: 200px;
    }
  `}static{this.properties={table:Object,folded:Boolean,open:Boolean,filter:Object,wide:Boolean,all:Boolean}}changed(e){`table`in e&&(this.filter=lc,this.all=this.wide=!1)}template(){let{table:e,filter:t}=this;if(this.folded)return S`<tfperf-table
        .heading=${e.title}
        .columns=${this.columns(!0)}
        .items=${e.rows}
        .open=${this.open}
        .note=${e.note}
      ></tfperf-table>`;let n=gr(e,t),r=hr(e),[i,a]=[t.choice!==``||t.text.trim()!==``,e.rows.length>fc],o=e.columns.some(({wide:e})=>e);return S`
      <div class="tools" ?hidden=${!o&&!a&&r.length===0}>
        <label ?hidden=${r.length===0}
          >${e.columns.find(({id:t})=>t===e.chosen_by)?.heading}
          <select id="choice" @change=${this.onFilter}>
            <option value="">all</option>
            ${r.map(e=>S`<option .value=${e}>${e}</option>`)}
          </select>
        </label>
        <label ?hidden=${!a&&r.length===0}
          >Search
          <input id="text" type="search" autocomplete="off" spellcheck="false" @input=${this.onFilter} />
        </label>
        <button
          id="columns"
          class="button"
          aria-expanded=${this.wide}
          ?hidden=${!o}
          @click=${()=>this.wide=!this.wide}
        >
          Columns
        </button>
        <span class="note" role="status"
          >${i?`${j(n.length)} of ${j(e.rows.length)} match.`:``}</span
        >
      </div>
      <tfperf-table
        id="table"
        flat
        .heading=${`${e.title} (${j(n.length)})`}
        .columns=${this.columns(this.wide)}
        .items=${n}
        .most=${this.all?n.length:fc}
        .note=${i?``:e.note}
      ></tfperf-table>
      <button
        id="all"
        class="button"
        ?hidden=${n.length<=fc}
        aria-expanded=${this.all}
        @click=${()=>this.all=!this.all}
      >
        ${this.all?`Show ${fc}`:`Show all ${P(n.length,`row`)}`}
      </button>
    `}drawn(e){if(`table`in e&&!this.folded)for(let e of[this.field(`choice`),this.field(`text`)])e.value=``}columns(e){let{table:t,made:n}=this,r=t.columns.filter(t=>!t.under&&(e||!t.wide)).map(e=>{let r=n.get(e)??mc(t,e);return n.set(e,r),r});return r.length===this.shown.length&&r.every((e,t)=>e===this.shown[t])||(this.shown=r),this.shown}field(e){return this.child(e)}onFilter(){this.filter={choice:this.field(`choice`).value,text:this.field(`text`).value}}};function mc({columns:e,rows:t},n){let r=e.indexOf(n),i=r===0?e.flatMap(({under:e},t)=>e?[t]:[]):[],a=e=>e[r]??null,o=Math.max(1,...t.map(e=>Math.abs(Number(a(e))))),s=e=>{let[t,r]=[a(e),pr(a(e),n)];return n.unit===`name`?hc(r,i.map(t=>String(e[t]??``)).filter(Boolean)):n.unit===`mark`?r&&gc(r):n.unit===`more_ns`?_c(r,Math.abs(Number(t))/o):r},c=t.some(e=>String(a(e)??``).length>dc)?`note name`:void 0,l=n.unit===`name`?`name`:fr(n)?c:`number`;return{head:[n,...i.flatMap(t=>e[t]??[])].map(({heading:e})=>e).map((e,t)=>t>0?e.toLowerCase():e).join(` over `),meaning:n.meaning,cell:s,value:a,...l&&{kind:l}}}function hc(e,t){let n=document.createElement(`div`),r=e.trimStart();if(n.append(cc(r,uc,.5)),n.style.paddingLeft=`${6*Math.min(e.length-r.length,24)}px`,t.length===0)return n;let i=document.createElement(`div`);return i.className=`under`,i.append(cc(t.join(` `),uc)),n.append(i),n}function gc(e){let t=document.createElement(`span`);return t.className=`mark`,t.textContent=e,t}function _c(e,t){let n=document.createElement(`div`);n.className=`against`;let r=document.createElement(`i`);r.style.width=`${(100*t).toFixed(2)}%`;let i=document.createElement(`span`);return i.textContent=e,n.append(i,r),n}customElements.define(`tfperf-rows`,pc);var vc=class extends L{static{this.properties={report:Object}}template(){let{input:e}=this.report;return S`
      <p class="note name">${e&&yc(e)}</p>
      ${ur(this.report,`input`).map((e,t)=>S`<tfperf-rows .table=${e} .folded=${t>0}></tfperf-rows>`)}
    `}};function yc({pipelines:[e],iterators:t}){if(!e)return``;let n=new Set(t.map(({host:e})=>e)),r=e.batch_bytes===null?[]:[`${A(e.batch_bytes)} a batch`];return[...n.size>1?[e.host]:[],...r,`slowest request ${D(e.slowest_ns)}`].join(` · `)}customElements.define(`tfperf-input`,vc);var[bc,xc,Sc]=[60,3600,86400],Cc=[1,2,5,10,15,30,60,120,300,600,900,1800,xc,2*xc,3*xc,6*xc,12*xc],wc=5,Tc=.2;function Ec(e){let t=e/1e9;if(t<bc)return`${t.toFixed(+!Number.isInteger(t))}\u00a0s`;let n=Math.round(t),[r,i,a,o]=[[`d`,Sc,`h`,xc],[`h`,xc,`min`,bc]].find(([,e])=>n>=e)??[`min`,bc,`s`,1],s=Math.floor(n%i/o);return`${Math.floor(n/i)}\u00a0${r}${s>0?` ${s}\u00a0${a}`:``}`}function Dc(e){let t=e/1e9/wc,n=1e9*(Cc.find(e=>e>=t)??Math.ceil(t/Sc)*Sc);return Array.from({length:Math.floor(e/n)+1},(t,r)=>({words:Ec(r*n),share:r*n/e}))}function Oc({end_ns:e},t){let n=e.findIndex(e=>e>t);return n<0?e.length-1:n}function kc({end_ns:e},t){return[e[t-1]??0,e[t]??0]}function Ac(e,t){let[n,r]=kc(e,t);return(n+r)/2/e.watched_ns}function jc(e,t){let[n,r]=kc(e,t),i=(e,t)=>e<r&&t>n,a=e.marks.filter(({begin_ns:e,end_ns:t})=>i(e,t)).map(({label:e})=>e);return i(e.steps_begin_ns,e.steps_end_ns)?[...a,Nc(e)]:a}function Mc(e,t){let[n,r]=kc(e,t);return[`${Ec(n)} to ${Ec(r)}`,...jc(e,t)].join(` · `)}function Nc({steps_begin_ns:e,steps_end_ns:t}){return t>e?`profiled steps`:`profile`}function Pc(e,t,n){let r=[...e.marks.map(({begin_ns:e})=>e),e.steps_begin_ns].map(t=>Oc(e,t)).filter(e=>n*(e-t)>0);return r.length>0?n>0?Math.min(...r):Math.max(...r):t}function Fc(e,t,n){let r=e.end_ns.length-1,i=t??-1,a={ArrowLeft:t===null?r:i-1,ArrowDown:t===null?r:i-1,ArrowRight:i+1,ArrowUp:i+1,PageUp:Pc(e,t??r+1,-1),PageDown:Pc(e,i,1),Home:0,End:r}[n];return a===void 0?null:Math.min(Math.max(a,0),r)}function Ic({limit:e,most:t,unit:n}){let r=e!==null&&t>Tc*e?e:0;return Math.max(n===`ratio`?1:r,t)||1}function Lc({label:e,of:t}){return t?`${e} · ${t.replaceAll(` `,`\xA0`)}`:e}function Rc({mean:e,low:t,high:n,unit:r},i){let[a,o,s]=[e,t,n].map(e=>M(e[i]??0,r));return{mean:a,range:o===s?``:`${o} to ${s}`}}function zc(e,t){return[Mc(e,t),...e.lanes.map(e=>`${Lc(e)} ${Rc(e,t).mean}`)].join(`, `)}var Bc=1e3;function Vc(e,t){let{end_ns:n,watched_ns:r,marks:i}=e,a=Ic(t),o=e=>(Bc*e/r).toFixed(2),s=e=>(44*(1-e/a)).toFixed(2),c=e=>e.map((e,t)=>`V${s(e)}H${o(n[t]??0)}`).join(``),l=e=>e.map((e,t)=>`V${s(e)}H${o(n[t-1]??0)}`).reverse().join(``),u=t.limit!==null&&t.limit<a?s(t.limit):null;return W(`svg`,{width:`100%`,height:44,viewBox:`0 0 ${Bc} 44`,preserveAspectRatio:`none`,"aria-hidden":`true`},W(`path`,{d:i.map(e=>`M${o(e.begin_ns)} 0H${o(e.end_ns)}V44H${o(e.begin_ns)}Z`).join(``),class:`marked`}),W(`path`,{d:`M0 44${c(t.high)}${l(t.low)}Z`,class:`band`}),...u===null?[]:[W(`path`,{d:`M0 ${u}H${Bc}`,class:`limit`,"vector-effect":`non-scaling-stroke`})],W(`path`,{d:`M0 ${s(t.mean[0]??0)}${c(t.mean)}`,class:`mean`,"vector-effect":`non-scaling-stroke`}))}var Hc=e=>`${(100*e).toFixed(3)}%`,Uc=class extends L{constructor(...e){super(...e),this.each=null,this.chosen=0,this.at=null,this.plots=[]}static{this.styles=I`
    #readout {
      font-variant-numeric: tabular-nums;
      margin-top: 8px;
      max-width: none;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    #lanes {
      padding-right: 10px;
      touch-action: pan-y;
    }
    .lane {
      column-gap: 8px;
      display: grid;
      grid-template-columns: minmax(0, min(280px, 30%)) 68px minmax(0, 1fr);
      padding: 4px 0;
    }
    .what {
      font-size: 13px;
      line-height: 17px;
      min-width: 0;
    }
    .value {
      font-variant-numeric: tabular-nums;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
    }
    .value small {
      color: var(--ink-2);
      font-size: 12px;
      line-height: 1;
    }
    .scale {
      color: var(--ink-2);
      display: flex;
      flex-direction: column;
      font-size: 11.5px;
      justify-content: space-between;
      line-height: 12px;
      text-align: right;
      white-space: nowrap;
    }
    .plot,
    #time {
      grid-column: 3;
      position: relative;
    }
    .plot {
      border-bottom: 1px solid var(--control-line);
      border-top: 1px solid var(--line);
      height: ${46}px;
    }
    .plot svg {
      display: block;
    }
    .marked {
      fill: var(--warning);
      opacity: 0.16;
    }
    .band {
      fill: var(--accent);
      opacity: 0.3;
    }
    .mean,
    .limit {
      fill: none;
      stroke: var(--accent);
      stroke-width: 1.5;
    }
    .limit {
      stroke: var(--ink-2);
      stroke-dasharray: 5 4;
    }
    #time {
      cursor: crosshair;
      height: 24px;
    }
    i {
      bottom: 0;
      min-width: 2px;
      pointer-events: none;
      position: absolute;
    }
    #time .mark,
    #time .steps {
      height: 6px;
    }
    #time .mark {
      background: var(--warning);
    }
    #time .steps {
      background: var(--ink);
    }
    #time span {
      bottom: 7px;
      font-size: 11.5px;
      line-height: 14px;
      position: absolute;
      transform: translateX(var(--shift));
      white-space: nowrap;
    }
    .plot .steps,
    .cursor {
      top: 0;
    }
    .plot .steps {
      background: var(--ink);
      opacity: 0.45;
    }
    .cursor {
      background: var(--critical);
      left: calc(var(--at) - 1px);
    }
    .axis {
      grid-column: 3;
      height: 17px;
    }
    .legend {
      margin-top: 4px;
    }
    .legend i {
      position: static;
      height: 12px;
      width: 16px;
    }
    .legend .line {
      border-top: 2px solid var(--accent);
      height: 0;
    }
    .legend .area {
      background: color-mix(in srgb, var(--accent) 30%, var(--page));
    }
    .legend .steps {
      background: var(--ink);
      margin: 0 5px;
      width: 2px;
    }
    .legend .range {
      background: color-mix(in srgb, var(--warning) 16%, var(--page));
      border-bottom: 4px solid var(--warning);
    }
    .note {
      margin-top: 4px;
    }
    @media (max-width: 760px) {
      .lane {
        grid-template-columns: 68px minmax(0, 1fr);
        row-gap: 2px;
      }
      .what {
        display: flex;
        gap: 8px;
        grid-column: 1 / -1;
        justify-content: space-between;
      }
      .value {
        flex: none;
        text-align: right;
        width: 240px;
      }
      .plot,
      #time,
      .axis {
        grid-column: 2;
      }
    }
    @media (max-width: 500px) {
      #readout {
        height: 42px;
        white-space: normal;
      }
      .value {
        width: 76px;
      }
      .value small {
        display: none;
      }
    }
  `}static{this.properties={machine:Object,each:Object,chosen:Number,at:Number}}get host(){return this.machine.hosts[this.chosen]}changed(e){`machine`in e&&(this.chosen=0),(`machine`in e||`chosen`in e)&&(this.at=null,this.plots=this.host.lanes.map(e=>Vc(this.host,e)))}template(){let{machine:e,each:t,host:n,chosen:r}=this,{hosts:i,hosts_total:a}=e;return S`
      <label class="picks" ?hidden=${i.length<2}
        >Host
        <select id="choice" @change=${this.onChoice}>
          ${i.map((e,t)=>S`<option .value=${String(t)} .selected=${t===r}>${e.host}</option>`)}
        </select>
        <span class="note" ?hidden=${i.length===a}>${i.length} of ${a}</span>
      </label>
      <p class="name">${N(n.said)}</p>
      ${n.lanes.length>0?this.lanes():C}
      ${[...n.problems,...n.missing].map(e=>S`<p class="note name">${N(e)}</p>`)}
      ${t?S`<tfperf-rows folded .table=${t}></tfperf-rows>`:C}
    `}lanes(){let{host:e,at:t}=this,{lanes:n,watched_ns:r,marks:i}=e,a=this.machine.running_ratio===null?`Means of all time`:`Means while steps ran`;return S`
      <p id="readout">${t===null?S`<span class="note">${a}</span>`:Mc(e,t)}</p>
      <div
        id="lanes"
        style=${Z({"--at":Hc(t===null?0:Ac(e,t))})}
        @pointerdown=${this.onPointer}
        @pointermove=${this.onPointer}
        @pointerleave=${e=>{e.pointerType===`mouse`&&(this.at=null)}}
      >
        <div class="lane">${this.slider(a)}</div>
        ${n.map((e,t)=>this.lane(e,this.plots[t]))}
        <div class="lane">
          <div class="axis">
            ${Dc(r).map(({words:e,share:t})=>S`<span style=${Z({left:Hc(t)})}>${e}</span>`)}
          </div>
        </div>
      </div>
      <ul class="legend" aria-label="Marks">
        <li><i class="line"></i>mean</li>
        <li><i class="area"></i>lowest to highest</li>
        <li><i class="steps"></i>${Nc(e)}</li>
        <li ?hidden=${i.length===0}><i class="range"></i>no step ran</li>
      </ul>
      <p class="note">
        Each lane reaches from 0 to the limit, or to the highest value if that is far lower. Hover, tap, or press the
        arrow keys to read a moment; Page up and Page down go from mark to mark. Resources that were never used are left
        out.
      </p>
    `}slider(e){let{host:t,at:n}=this,r=t.steps_begin_ns/t.watched_ns,i=r<.15?`0`:r>.85?`-100%`:`-50%`;return S`
      <div
        id="time"
        role="slider"
        tabindex="0"
        aria-label="Time: ${P(t.lanes.length,`resource`)} over the whole training. ${t.said}"
        aria-valuemin="0"
        aria-valuemax=${t.end_ns.length-1}
        aria-valuenow=${n??0}
        aria-valuetext=${n===null?e:zc(t,n)}
        @keydown=${this.onKey}
        @blur=${()=>this.at=null}
      >
        ${t.marks.map(e=>this.range(`mark`,e.begin_ns,e.end_ns))} ${this.steps()}
        <span style=${Z({left:Hc(r),"--shift":i})}>${Nc(t)}</span>
        ${this.cursor()}
      </div>
    `}lane(e,t){return S`
      <div class="lane">
        <div class="what">
          <div class="name">${Lc(e)}</div>
          ${this.value(e)}
        </div>
        <div class="scale"><span>${M(Ic(e),e.unit)}</span><span>${M(0,e.unit)}</span></div>
        <div class="plot">${t}${this.steps()}${this.cursor()}</div>
      </div>
    `}range(e,t,n){let{watched_ns:r}=this.host;return S`<i class=${e} style=${Z({left:Hc(t/r),width:Hc((n-t)/r)})}></i>`}steps(){return this.range(`steps`,this.host.steps_begin_ns,this.host.steps_end_ns)}cursor(){return this.at===null?C:S`<i class="cursor"></i>`}value(e){let{at:t}=this;if(t===null)return S`<div class="value">${M(e.usual,e.unit)}</div>`;let{mean:n,range:r}=Rc(e,t);return S`<div class="value">${n} <small>${r}</small></div>`}onChoice(e){this.chosen=e.target.selectedIndex}onPointer(e){let{left:t,width:n}=this.child(`time`).getBoundingClientRect(),r=(e.clientX-t)/n;this.at=r>=0&&r<=1?Oc(this.host,r*this.host.watched_ns):null}onKey(e){let t=e.key===`Escape`?null:Fc(this.host,this.at,e.key);(t!==null||e.key===`Escape`)&&(e.preventDefault(),this.at=t)}};customElements.define(`tfperf-machine`,Uc);var Wc=18,Gc=130,Kc=1e3,qc=6;function Jc(e,t){let{at_ms:n,used_bytes:r}=e.points,i=e=>e/Math.max(r.length,1),a=t=>Wc+Gc*(1-t/e.capacity_bytes),o=r.map((e,t)=>`${t===0?`M`:`H`}${(i(t)*Kc).toFixed(2)}${t===0?` `:`V`}${a(e).toFixed(2)}`).join(``),s=W(`svg`,{width:`100%`,height:148,viewBox:`0 0 ${Kc} 148`,preserveAspectRatio:`none`},W(`path`,{d:`${o}H${Kc}V148H0Z`,class:`area`}),W(`path`,{d:`${o}H${Kc}`,class:`line`,"vector-effect":`non-scaling-stroke`})),c=e=>`${(100*e).toFixed(3)}%`,l=r.map((e,t)=>W(`g`,{},W(`rect`,{x:c(i(t)),y:Wc,width:c(i(1)),height:Gc,class:`slot`}),W(`circle`,{cx:c(i(t)),cy:a(e),r:3,class:`point`}))),u=i(Math.max(0,r.indexOf(e.recorded_peak_bytes))),d=a(e.before_bytes),f=r.length<qc?r.keys():Array.from({length:qc},(e,t)=>Math.floor(t*r.length/qc));return{drawing:W(`svg`,{width:`100%`,height:170,role:`img`,"aria-label":t},...H(e.capacity_bytes).map(e=>W(`g`,{},W(`line`,{x1:0,x2:`100%`,y1:a(e),y2:a(e),class:`grid`}),W(`text`,{x:0,dx:-8,y:a(e)+4,class:`tick end`},e===0?`0`:A(e)))),s,...e.before_bytes>0?[W(`line`,{x1:0,x2:`100%`,y1:d,y2:d,class:`before`})]:[],W(`line`,{x1:0,x2:`100%`,y1:Wc,y2:Wc,class:`capacity`}),W(`text`,{x:`100%`,y:12,class:`tick end`},`capacity ${A(e.capacity_bytes)}`),W(`circle`,{cx:c(u),cy:a(e.recorded_peak_bytes),r:4,class:`peak`}),W(`text`,{x:c(u),dx:u>.5?-8:8,y:Math.max(30,a(e.recorded_peak_bytes)-6),class:u>.5?`mark end`:`mark`},`peak ${A(e.recorded_peak_bytes)}`),...l,...[...f].map(e=>W(`text`,{x:c(i(e)),y:164,class:`tick start`},Yt(n[e]??0)))),groups:l}}function Yc({points:{at_ms:e,used_bytes:t}}){return t.map((t,n)=>`${A(t)} in use at ${Yt(e[n]??0)}`)}var Xc=[{head:`Op`,cell:({op:e})=>e||`not named`,kind:`name`,value:({op:e})=>e},q(`In use`,({size_bytes:e})=>e,A),q(`Blocks`,({count:e})=>e,e=>e>0?j(e):``)],Zc=class extends L{constructor(...e){super(...e),this.each=null,this.chosen=0}static{this.styles=I`
    #chart {
      margin-top: 8px;
      padding: 0 4px 0 60px;
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
    .tick.start {
      text-anchor: start;
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
    .tables {
      margin-top: 8px;
    }
    tfperf-table + tfperf-rows {
      display: block;
      margin-top: 4px;
    }
  `}static{this.properties={memory:Object,each:Object,chosen:Number}}get gpu(){return this.memory.devices[this.chosen]}changed(e){`memory`in e&&(this.chosen=0)}template(){let{memory:e,each:t,gpu:n,chosen:r}=this,{devices:i,devices_total:a}=e,o=i.length<a?`the fullest ${i.length} of `:``,s=new Set(i.map(({host:e})=>e)).size>1;return S`
      <p class="note">Of ${o}${P(a,`GPU`)}, as the framework’s allocator recorded it.</p>
      <p class="name">${N(n.said)}</p>
      <label class="picks" ?hidden=${i.length<2}
        >GPU
        <select id="choice" @change=${this.onChoice}>
          ${i.map((e,t)=>S`<option .value=${String(t)} .selected=${t===r}>${on(e,s)}</option>`)}
        </select>
      </label>
      <div id="chart"></div>
      <ul class="legend" aria-label="Lines">
        <li><i></i>in use</li>
        <li ?hidden=${!n.before_bytes}>
          <i class="dashed"></i>allocated before the recording and still in use at the peak
        </li>
      </ul>
      <p class="note">
        Events of the allocator in their order; their times, below the chart, are not to scale. In TensorFlow memory is
        allocated when work is launched, ahead of the GPU. ${N(n.note)}
      </p>
      <div class="tables">
        <tfperf-table
          panel="memory"
          heading="What is in use at the peak"
          .columns=${Xc}
          .items=${Qc(n)}
          .note=${$c(n)}
        ></tfperf-table>
        ${t?S`<tfperf-rows folded .table=${t}></tfperf-rows>`:C}
      </div>
    `}drawn(){let{gpu:e}=this,{drawing:t,groups:n}=Jc(e,`Memory in use over time. ${e.said}`),r=this.child(`chart`);r.replaceChildren(t),new U(r).explain(t,n,Yc(e))}onChoice(e){this.chosen=e.target.selectedIndex}};function Qc(e){let t={op:`allocated before the recording`,size_bytes:e.before_bytes,count:0};return e.before_bytes>0?[t,...e.alive]:e.alive}function $c({alive:e,alive_total:t}){return t>e.length?`The ${j(e.length)} ops that hold the most, of ${j(t)}.`:``}customElements.define(`tfperf-memory`,Zc);var el=`from tfperf_plugin.keras import DiagnosticsCallback
model.fit(..., callbacks=[tensorboard, DiagnosticsCallback(LOGDIR)])`,tl=class extends L{static{this.styles=I`
    tfperf-code,
    p {
      margin-top: 6px;
      max-width: 760px;
    }
  `}static{this.properties={report:Object}}template(){let e=V(this.report,`training`);return e?S`
        <ul class="note">
          ${this.report.training.map(({host:e,file:t,recorded:n})=>S`<li class="name">${[e,t,n].filter(Boolean).join(` · `)}</li>`)}
        </ul>
        <tfperf-rows .table=${e}></tfperf-rows>
      `:S`
      <p class="note">
        Nothing was recorded beside this profile. With this callback the number of parameters, the batch size, threads
        and links between GPUs are known and need not be estimated:
      </p>
      <tfperf-code framework="Keras" .code=${el}></tfperf-code>
    `}};customElements.define(`tfperf-training`,tl);var nl=class extends L{constructor(...e){super(...e),this.name=`parameters`,this.label=``,this.hint=``,this.note=``,this.choices=[],this.typed=null,this.refusal=null,this.report=null,this.settled=``}static{this.styles=I`
    label {
      display: block;
      font-size: 13px;
    }
    input {
      background: var(--page);
      border: 1px solid var(--control-line);
      border-radius: 6px;
      color: var(--ink);
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
    p {
      margin-top: 3px;
    }
    .note::first-letter {
      text-transform: uppercase;
    }
    .refused {
      color: var(--critical);
      font-size: 13px;
    }
  `}static{this.properties={name:String,label:String,hint:String,note:String,choices:Object,typed:String,refusal:Object,report:Object}}template(){let{name:e,refusal:t,choices:n}=this;return S`
      <label for=${e}>${this.label}</label>
      <input
        id=${e}
        type="text"
        autocomplete="off"
        spellcheck="false"
        list=${n.length>0?`choices`:C}
        placeholder=${this.hint}
        aria-invalid=${t!==null}
        aria-describedby="${e}-refused ${e}-note"
        @change=${this.onTyped}
      />
      <datalist id="choices">${n.map(e=>S`<option .value=${e}></option>`)}</datalist>
      <p id="${e}-refused" class="refused name" role="alert" ?hidden=${!t}>${t?.message}</p>
      <p id="${e}-note" class="note name" ?hidden=${!this.note}>${this.note}</p>
    `}drawn(e){if(![`report`,`typed`,`refusal`].some(t=>t in e))return;let t=this.child(this.name);t.value===this.settled&&(t.value=this.settled=this.refusal?.text??this.typed??``)}onTyped(e){let{value:t}=e.target;this.settled=t,R(this,`assume`,{field:this.name,text:t.trim()||null})}};customElements.define(`tfperf-field`,nl);var rl=10,il=112,al=6,ol=16;function sl(e,t,n){let r=Math.max(1,...e.map(({transfer_ns:e,wait_ns:t})=>e+t),...t.map(({ns:e})=>e)),i=e=>rl+il*(1-e/r),a=100/Math.max(e.length,al),o=e=>`${e.toFixed(4)}%`,s=new Wr,c=i(0),l=e.map((e,t)=>{let n=o((t+.15)*a),r=o(.7*a),l=e.transfer_ns+e.wait_ns,u=i(Math.min(e.exposed_ns??0,l)),d=o((t+.85)*a);return W(`g`,{},W(`rect`,{x:o(t*a),y:rl,width:o(a),height:134,class:`slot`}),s.fill(z(`communication.transfer`),{x:n,y:i(e.transfer_ns),width:r,height:c-i(e.transfer_ns)}),s.fill(z(`communication.wait`),{x:n,y:i(l),width:r,height:i(e.transfer_ns)-i(l)}),...e.exposed_ns===null?[]:[W(`line`,{x1:n,x2:d,y1:u,y2:u,class:`exposed`})])}),u=e.length<=ol?e.keys():[0,e.length-1];return{drawing:W(`svg`,{width:`100%`,height:144,role:`img`,"aria-label":n},s.defs,...H(r).map(e=>W(`g`,{},W(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`grid`}),W(`text`,{x:0,dx:-8,y:i(e)+4,class:`tick end`},e===0?`0`:D(e)))),...l,W(`text`,{x:0,dx:-8,y:c+16,class:`tick end`},`step`),...[...u].map(t=>W(`text`,{x:o((t+.5)*a),y:c+16,class:`tick`},e[t]?.step??``)),...t.map(({ns:e,dashes:t})=>W(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`estimate`,"stroke-dasharray":t}))),columns:l}}function cl(e){return W(`svg`,{width:24,height:12,"aria-hidden":`true`},W(`line`,{x1:0,x2:24,y1:6,y2:6,class:`estimate`,"stroke-dasharray":e}))}function ll({ledger:e}){let t=t=>e?.accounts.find(e=>e.id===t)?.ns??0,[n,r]=[t(`communication.transfer`),t(`communication.wait`)];return n+r>0?{both:n+r,transfer:n,wait:r}:null}function ul(e,t){return t.find(t=>t.kind===e)?.name??e}function dl({allreduce:e,collectives:t}){let n=e=>e.reduce((e,{ns:t})=>e+t,0),r=t.filter(({kind:t})=>e?.kinds.includes(t));return r.length>0&&n(r)>=n(t)/2}function fl(e,t){return e.numbers.filter(e=>e.at===t)}function pl(e,t){let{value:n,known:r}=e.numbers.find(e=>e.term===t);return n===`not known`?`${r||n}: type it to get the estimates`:`${n}, ${r}${r===`as typed`?`. Empty the field to go back.`:``}`}function ml(e){return[[`guide estimate`,e.guide_ns,`6 4`],[`ring bound`,e.ring_bound_ns,`none`],[`achievable`,e.achievable_ns,`2 3`]].flatMap(([e,t,n])=>t===null?[]:[{words:e,ns:t,dashes:n}])}function hl(e){let{allreduce:t,steps:n}=e;return t&&t.steps.length>0&&dl(e)?{heading:`${t.title} of each step`,steps:t.steps.map(e=>({...e,step:String(e.step)})),transfer:`measured transfer`,wait:`measured waiting`,lines:ml(t)}:{heading:`Exposed communication of each step`,steps:(ll(e)?n.columns.filter(e=>e.judged):[]).map(({id:e,accounts:t})=>({step:e,transfer_ns:t[`communication.transfer`]??0,wait_ns:t[`communication.wait`]??0,exposed_ns:null})),transfer:`Exposed transfer`,wait:`Straggler wait`,lines:[]}}function gl({heading:e,steps:t,transfer:n,wait:r,lines:i}){let a=t.map(({transfer_ns:e,wait_ns:t})=>e+t),o=[Math.min(...a),Math.max(...a)].map(D),s=i.map(({words:e,ns:t})=>`${e} ${D(t)}`);return[`${e} (${j(t.length)}): ${n} and ${r} together take ${o.join(` to `)}`,...s].join(`; `)}function _l({transfer:e,wait:t},{step:n,transfer_ns:r,wait_ns:i,exposed_ns:a}){let o=[`${e} ${D(r)}`,`${t} ${D(i)}`];return a!==null&&o.push(`exposed ${D(a)}`),`Step ${n}: ${o.join(`, `)}`}function vl({last:e}){if(!e)return`not known`;let t=e.lastIndexOf(` `)+1;return`${e.slice(0,t)}${F(e.slice(t))}`}function yl(e,t){let n=e.size_bytes===null?``:` of ${A(e.size_bytes)}`;return{host:e.host,begin_ms:e.begin_ms,end_ms:e.end_ms,label:`${t}${n}, ${D(e.transfer_ns)} of transfer`,device:null,stream:null,step:e.step}}var bl=class extends L{constructor(...e){super(...e),this.viewer=`XProf`,this.access=null,this.shown=!0}static{this.styles=I`
    .ways {
      display: flex;
      flex-wrap: wrap;
      gap: 8px;
    }
    .ways[data-unknown] {
      visibility: hidden;
    }
    .note {
      margin-top: 8px;
    }
    iframe {
      background: #fff;
      border: 1px solid var(--line);
      border-radius: 6px;
      height: clamp(480px, 82vh, 900px);
      margin-top: 6px;
      width: 100%;
    }
  `}static{this.properties={run:String,viewer:String,place:Object,access:Object,shown:Boolean}}changed(e){`place`in e&&(this.shown=!0)}template(){let{place:e,access:t,shown:n}=this;if(this.viewer!==`XProf`)return this.saving();let r=fe(t,e.host);return S`
      ${r?C:this.ways(t!==null)}
      <p class="note" ?hidden=${!r}>${r}</p>
      <p class="note" ?hidden=${r||!e.device}>
        The trace viewer shows the first GPUs on top: scroll to ${F(e.device??``)}.
      </p>
      <p class="note name">${sn(e)}${e.label?`: ${e.label}`:``}</p>
      <p class="note name" ?hidden=${!n}>${this.whereabouts()}</p>
      <div id="viewer"></div>
    `}saving(){let{run:e,viewer:t,place:n}=this;return S`
      <p class="note name">
        ${[n.step===null?``:`Step ${n.step}`,n.label].filter(Boolean).join(`: `)}
      </p>
      <div class="ways">
        <tfperf-save-trace .run=${e} .viewer=${t} .place=${n}></tfperf-save-trace>
        ${this.inTimeline()}
      </div>
    `}inTimeline(){let{place:e}=this;return S`<button
      class="button"
      @click=${()=>R(this,`show-in-timeline`,{place:e})}
      ?hidden=${e.step===null}
    >
      Show in timeline
    </button>`}ways(e){let{place:t,shown:n}=this,r={run:this.run,host:t.host,beginMs:t.begin_ms,endMs:t.end_ms};return S`
      <div class="ways" ?data-unknown=${!e}>
        <button class="button accent" @click=${()=>this.shown=!n} aria-expanded=${n}>
          ${n?`Close the trace`:`Show in trace`}
        </button>
        <a class="button" href=${ne(document.baseURI,r)} target="_parent" @click=${e=>{e.ctrlKey||e.metaKey||e.shiftKey||e.button!==0||R(this,`open-profile-tab`,{target:r,click:e})}}
          >Open in Profile tab</a
        >
        <a class="button" href=${ie(document.baseURI,r)} target="_blank" rel="noopener">New window</a>
        ${this.inTimeline()}
      </div>
    `}drawn(e){this.viewer===`XProf`&&[`run`,`place`,`shown`].some(t=>t in e)&&this.child(`viewer`).replaceChildren(...this.shown?[this.frame()]:[])}whereabouts(){let{host:e,begin_ms:t,end_ms:n}=this.place;return`Trace viewer: ${e}, ${O(t,n)}`}frame(){let{host:e,begin_ms:t,end_ms:n}=this.place,r=document.createElement(`iframe`);return r.title=this.whereabouts(),r.src=ie(document.baseURI,{run:this.run,host:e,beginMs:t,endMs:n}),requestAnimationFrame(()=>r.scrollIntoView({block:`nearest`})),r}};customElements.define(`tfperf-trace`,bl);var xl=e=>e===null?`not recorded`:A(e),Sl=e=>`${e[0]?.toUpperCase()}${e.slice(1)}`,Cl=[{head:`What`,cell:({term:e})=>Sl(e)},K(`Value`,({value:e})=>N(e)),{head:`How it is known`,cell:({known:e})=>N(e),kind:`note name`}];function wl({transfer:e,wait:t,steps:n}){return[{head:`Step`,cell:({step:e})=>e,kind:`name`},K(Sl(e),({transfer_ns:e})=>D(e)),K(Sl(t),({wait_ns:e})=>D(e)),K(`Both`,({transfer_ns:e,wait_ns:t})=>D(e+t)),...n.some(({exposed_ns:e})=>e!==null)?[K(`Exposed`,({exposed_ns:e})=>D(e??0))]:[]]}function Tl(e,t){return[{head:`Call`,cell:({kind:t})=>e(t)},K(`Step`,({step:e})=>String(e)),K(`Size`,({size_bytes:e})=>xl(e)),K(`GPUs`,({participants:e,hosts_count:t})=>`${j(e)}${t>1?` on ${P(t,`host`)}`:``}`),K(`Transfer`,({transfer_ns:e})=>D(e)),K(`Waiting of all`,({wait_ns:e})=>D(e)),K(`Exposed`,({exposed_ns:e})=>D(e)),{head:`Came last`,cell:vl,kind:`name`},{head:`In the trace at`,kind:`number`,cell:n=>{let r=Yt(n.begin_ms),i=t(n);if(!i)return r;let a=document.createElement(`button`);return a.className=`bare open`,a.textContent=r,a.setAttribute(`aria-label`,`Show ${e(n.kind)} of step ${n.step} at ${r} in the trace`),a.addEventListener(`click`,i),a}}]}var El=[`NVLink 2`,`NVLink 3`,`NVLink 4`,`NVLink 5`,`PCIe 3 x16`,`PCIe 4 x16`,`PCIe 5 x16`];function Dl(e){let t=hl(e);return{chart:t,steps:wl(t)}}function Ol(e){return S`<tfperf-term .word=${e} .meaning=${xt(e,`per step`)??``}></tfperf-term>`}var kl=class extends L{constructor(...e){super(...e),this.access=null,this.typed=r,this.refused=a,this.recomputing=!1,this.chosen=null,this.nameOf=e=>ul(e,this.report.collectives)}static{this.styles=I`
    b {
      font-variant-numeric: tabular-nums;
      font-weight: 600;
      white-space: nowrap;
    }
    .card {
      margin-top: 4px;
    }
    .head h3 {
      min-width: 0;
      overflow-wrap: anywhere;
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
    }
    .beside {
      display: grid;
      gap: 12px 32px;
      margin-top: 6px;
    }
    .fields .button {
      margin-top: 3px;
    }
    .numbers {
      clip-path: inset(0 -100vw -100vh 0);
      column-gap: 20px;
      display: flex;
      flex-wrap: wrap;
      margin-top: 8px;
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
      max-width: none;
    }
    .pair {
      display: grid;
      gap: 16px 32px;
      grid-template-columns: minmax(0, 1fr);
      margin-top: 8px;
    }
    /* The chart's tip has room of its own. */
    #chart {
      margin-top: 6px;
      padding: 0 0 52px 60px;
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
      margin-top: 4px;
    }
    .tables > tfperf-table {
      margin: 4px 0 0 16px;
    }
    tfperf-table + tfperf-table {
      margin-top: 4px;
    }
    tfperf-trace {
      margin-top: 14px;
    }
    .scroll td.name {
      min-width: 72px;
    }
    .scroll td.note {
      min-width: 190px;
    }
    @media (max-width: 1179px) {
      /* Estimates that come with a bandwidth must not move the field in which it is typed. */
      .fields {
        order: -1;
      }
    }
    @media (min-width: 1180px) {
      .beside {
        grid-template-columns: minmax(0, 1.2fr) minmax(0, 1fr);
      }
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
  `}static{this.properties={report:Object,access:Object,typed:Object,refused:Object,recomputing:Boolean,chosen:Object}}changed(e){let{access:t}=this;`report`in e&&(this.chosen=null,this.parts=Dl(this.report)),(`access`in e||`report`in e)&&(this.calls=Tl(this.nameOf,e=>this.report.viewer!==`XProf`||de(t,e.host)?()=>this.showCall(e):null))}template(){let{report:e,chosen:t}=this,{allreduce:n}=e,{chart:r,steps:i}=this.parts,[a,o]=[V(e,`gpus`),V(e,`collectives`)],s=ll(e);return S`
      ${s?S`<p>
              <tfperf-term word="Exposed communication"></tfperf-term> <b>${D(s.both)}</b> of a step:
              <tfperf-term word="Exposed transfer"></tfperf-term> <b>${D(s.transfer)}</b>,
              <tfperf-term word="Straggler wait"></tfperf-term> <b>${D(s.wait)}</b>.
            </p>`:C}
      <p>${e.sections.find(({id:e})=>e===`communication`)?.note}</p>
      ${o?S`<tfperf-rows folded .table=${o} .open=${!dl(e)}></tfperf-rows>`:C}
      ${n?this.exchange(n):C}
      <div class="pair">
        <div ?hidden=${r.steps.length===0}>
          <h3>${r.heading}</h3>
          <ul id="legend" class="legend" aria-label="Columns, one a step, and lines across them"></ul>
          <div id="chart"></div>
        </div>
        ${a?S`<div>
                <h3>${a.title}</h3>
                <tfperf-rows .table=${a}></tfperf-rows>
              </div>`:C}
      </div>
      <details class="tables">
        <summary>Tables: each number and how it is known, each step, size and call</summary>
        <tfperf-table
          panel="allreduce"
          heading="Each number, and how it is known"
          .columns=${Cl}
          .items=${n?.numbers??[]}
        ></tfperf-table>
        <tfperf-table panel="allreduce" heading=${r.heading} .columns=${i} .items=${r.steps}></tfperf-table>
        ${n?this.tables(n):C}
      </details>
      ${t?S`<tfperf-trace
              .run=${e.run}
              .viewer=${e.viewer}
              .place=${t}
              .access=${this.access}
            ></tfperf-trace>`:C}
    `}exchange(e){let t=e.hosts_count>1?` on ${P(e.hosts_count,`host`)}`:``,n=e.measured_ns===null?``:`, ${P(e.calls_per_step,`call`)} per step`,[r,i]=[e.steps.length,this.report.steps.count],a=r>0&&r<i?`, in the ${r} of ${i} steps that all GPUs recorded`:``,o=fl(e,`below`);return S`
      <div class="card">
        <div class="head">
          <h3>${e.title} <small>${P(e.participants,`GPU`)}${t}${n}${a}</small></h3>
          <span class="note" role="status">${this.recomputing?`Recomputing …`:``}</span>
        </div>
        <div class="beside">
          <ul class="tiles" aria-label="Per step">
            ${fl(e,`card`).map(({term:e,value:t,note:n})=>S`<li>
                  ${Ol(e)} <b>${N(t)}</b>
                  <span class="note"><tfperf-text .text=${N(n)}></tfperf-text></span>
                </li>`)}
          </ul>
          <div class="fields">
            ${e.guide_applies?this.field(`parameters`,`Parameters of the model`,e.parameters?tn(e.parameters):`e.g. 25.6M`,pl(e,`parameters`)):C}
            <div>
              ${this.field(`bandwidth`,`Bandwidth of one GPU`,e.bandwidth_gbps?M(e.bandwidth_gbps,`GB/s`):`e.g. 600 GB/s or NVLink 3`,pl(e,`bandwidth of one GPU`),El)}
              ${e.links.map(({gpu:e,typed:t})=>S`<button class="button" @click=${()=>this.assume(t)}>
                    <span class="name">${e}: ${t}</span>
                  </button>`)}
            </div>
          </div>
        </div>
        <ul class="numbers" ?hidden=${o.length===0} aria-label="Further numbers">
          ${o.map(({term:e,value:t,note:n})=>S`<li>${Ol(e)} <b>${N(t)}</b><span class="name">${n&&`, ${n}`}</span></li>`)}
        </ul>
        <p class="difference name" ?hidden=${!e.difference}>${N(e.difference)}</p>
      </div>
    `}field(e,t,n,r,i=[]){return S`<tfperf-field
      .name=${e}
      .label=${t}
      .hint=${n}
      .note=${r}
      .choices=${i}
      .typed=${this.typed[e]}
      .refusal=${this.refused[e]}
      .report=${this.report}
    ></tfperf-field>`}tables(e){let[t,n]=[e.calls.length,V(this.report,`sizes`)];return S`
      ${n?S`<tfperf-rows folded .table=${n}></tfperf-rows>`:C}
      <tfperf-table
        panel="allreduce"
        heading="The longest calls"
        .columns=${this.calls}
        .items=${e.calls}
        .note=${e.calls_total>t?`The ${j(t)} longest of ${j(e.calls_total)} calls.`:``}
      ></tfperf-table>
    `}drawn(e){let{chart:t}=this.parts;if(!(`report`in e)||t.steps.length===0)return;let{drawing:n,columns:r}=sl(t.steps,t.lines,gl(t)),i=this.child(`chart`);i.replaceChildren(n),new U(i).explain(n,r,t.steps.map(e=>_l(t,e)));let a=(e,t)=>{let n=document.createElement(`li`);return n.append(e,t),n};this.child(`legend`).replaceChildren(Kr(z(`communication.transfer`),t.transfer),Kr(z(`communication.wait`),t.wait),...t.steps.some(({exposed_ns:e})=>e!==null)?[a(document.createElement(`i`),`exposed: not hidden by compute`)]:[],...t.lines.map(({words:e,ns:t,dashes:n})=>a(cl(n),`${e} ${D(t)}`)))}assume(e){R(this,`assume`,{field:`bandwidth`,text:e})}showCall(e){this.chosen=yl(e,this.nameOf(e.kind))}};customElements.define(`tfperf-communication`,kl);var Al=class extends L{static{this.properties={report:Object}}template(){let{by_host:e}=this.report,t=Math.max(0,...e.map(({steps_count:e})=>e));return S`
      <p class="note">
        ${P(e.length,`host`)}, average of the ${P(t,`step`)} that all of them recorded whole.
      </p>
      <tfperf-rows .table=${V(this.report,`hosts`)}></tfperf-rows>
    `}};customElements.define(`tfperf-hosts`,Al);var jl={matrix:`matrix products, convolutions, attention`,memory:`memory-bound`,small:`small kernels (latency-bound)`,other:`other`},Ml=[[`compute.floor`,`floor_ns`],[`compute.recoverable`,`recoverable_ns`],[`compute.not_judged`,`not_judged_ns`]];function Nl(e){let t=(e,t)=>({...e,kind:t,ns:e.floor_ns+e.recoverable_ns+e.not_judged_ns}),n=e.map(e=>t(e,jl[e.kind])).filter(({ns:e})=>e>0),r=e=>n.reduce((t,n)=>t+n[e],0);return{rows:n,sum:t({floor_ns:r(`floor_ns`),recoverable_ns:r(`recoverable_ns`),not_judged_ns:r(`not_judged_ns`)},`compute`)}}function Pl({floor_ns:e,recoverable_ns:t,not_judged_ns:n}){return[e,t,n].map((e,t)=>({look:z(Ml[t]?.[0]??``),ns:e})).filter(({ns:e})=>e>0)}function Fl({compute_causes:e}){let t=e.reduce((e,{ns:t})=>e+t,0),n=e.filter(({ns:e})=>e>=t/100).map(({title:e,ns:t})=>`${e} ${D(t)}`);return n.length>0?`Why it was not: ${n.join(`; `)}.`:``}function Il({compute_parts:e,compute_floor_ns:t,compute_peak_ns:n}){let{sum:r}=Nl(e),i=t??r.floor_ns,a=n===null?``:`; at the data sheet’s peak, ${D(n)}`,o=r.not_judged_ns>0?` Not judged: ${D(r.not_judged_ns)}.`:``;return`A step computes for ${D(r.ns)}. At the rates that good libraries reach, its work needs ${D(i)}${a}. Up to ${D(r.recoverable_ns)} could be won.${o}`}var Ll={forward:[`forward pass`,`solid`],loss:[`loss`,`cross`],backward:[`backward pass`,`rising`],optimizer:[`optimizer`,`bars`]};function Rl(e){let[t,n]=Ll[e]??[`not told by its name`,`dots`];return{words:t,pattern:n,colour:e in Ll?`--account-compute`:`--account-unknown`}}function zl({id:e,ns:t,ratio:n}){return`${Rl(e).words}, ${D(t)}, ${k(n)} of compute`}function Bl({items:e,reason:t}){if(!e)return`Compute cannot be divided into forward and backward pass. ${t}`;let[n,r]=[...e].filter(({id:e})=>e in Ll).sort((e,t)=>t.ns-e.ns);if(!n||n.ns===0)return``;let i=r&&r.ns>0?`, the ${Rl(r.id).words} ${D(r.ns)} (${k(r.ratio)})`:``;return`Of the compute time of a step, the ${Rl(n.id).words} takes ${D(n.ns)} (${k(n.ratio)})${i}.`}function Vl({items:e}){return(e??[]).filter(({ns:e})=>e>0).map(e=>({look:Rl(e.id),ns:e.ns,ratio:e.ratio,words:zl(e)}))}function Hl(e){let t=e.ops_on_device_count_ratio;return[(e.mfu_ratio!==null||e.mfu_basis!==``)&&{value:(e=>e===null?null:k(e))(e.mfu_ratio),words:`MFU`,note:e.mfu_basis},e.hfu_ratio!==null&&{value:k(e.hfu_ratio),words:`HFU`},e.flops_per_s!==null&&{value:$t(e.flops_per_s),words:`achieved per GPU`,more:`Floating-point operations of matrix products and convolutions in a step, a multiply-add as two, by the length of the step.`},e.compute_judged_ratio!==null&&{value:k(e.compute_judged_ratio),words:`of compute judged`,more:`Compute time of kernels whose operations and bytes are known from the profile: only these are held against the GPU’s limits.`},e.compute_16bit_ratio!==null&&{value:k(e.compute_16bit_ratio),words:`of compute in 16 bit`,more:`Kernel time in float16 and bfloat16; TensorFloat-32 is counted apart.`},e.compute_tf32_ratio!==null&&e.compute_tf32_ratio>0&&{value:k(e.compute_tf32_ratio),words:`of compute in TF32`,more:`Kernel time of products whose inputs are rounded to TensorFloat-32, which Tensor Cores multiply.`},e.ops_on_device_ratio!==null&&{value:k(e.ops_on_device_ratio),words:`of op time on the GPU${t===null?``:`, ${k(t)} of ops`}`,more:`Ops that run on a GPU and not on the CPU, by time and by count.`}].filter(e=>e!==!1)}var Ul=.01;function Wl(e){return V(e,`ops`)}function Gl(e){return(e?dr(e):[]).flatMap(e=>e.flops&&e.bytes&&e.flops_per_s?[{op:e,intensity:e.flops/e.bytes,rate:e.flops_per_s}]:[]).sort((e,t)=>t.op.ns-e.op.ns)}function Kl(e,{rates:t}){let n=new Set(e.map(({op:e})=>e.format)),r=t.filter(({format:e})=>n.has(e));return[...r.length>0?r:t].sort((e,t)=>t.flops_per_s-e.flops_per_s)}function ql({flops_per_s:e},{bytes_per_s:t}){return e/t}function Jl(e,t,n){let r=e=>[Math.min(...e)/2,Math.max(...e)*2],i=e.filter(({op:e},t)=>t===0||e.ratio>=Ul);return{x:r([...i.map(e=>e.intensity),...t.map(e=>ql(e,n))]),y:r([...i.map(({rate:e})=>e),...t.map(({flops_per_s:e})=>e)])}}function Yl(e,t){let{x:n,y:r}=Jl(e,Kl(e,t),t);return e.filter(e=>Xl(e.intensity,n)&&Xl(e.rate,r))}function Xl(e,[t,n]){return t<=e&&e<=n}function Zl({op:e}){return e.name||e.type||`not named`}function Ql(e){let{op:t,intensity:n,rate:r}=e,i=t.bound_ratio??null;return[dn(Zl(e)),`${$t(r)} at ${en(n)}`,`${i===null?``:`${k(i)} of its bound, `}bound by ${t.bound_by}`,`${D(t.ns)}, ${k(t.ratio)} of kernel time`].join(`; `)}function $l(e,t,{total:n}){let r=e.reduce((e,{op:t})=>e+t.ratio,0);return`Shown: ${P(e.length,`op`)} of ${j(n)}, ${k(Math.min(1,r))} of the kernel time. `+(t>0?`${P(t,`small op`)} would stretch the axes: see the table. `:``)+`The work of the others is not known, or they do no floating-point operations.`}function eu(e,t){let n=e.map(e=>`${e.format} ${en(ql(e,t))}`);return`Ridge points of ${t.name||`this GPU`}: ${n.join(`, `)}.`}function tu(e){return e.roofline!==null&&Wl(e)!==null||nu(e)!==``}function nu({ledger:e,roofline:t,key_numbers:n}){return!e||t||n.compute_judged_ratio!==null?``:`Compute is not held against the GPU’s limits. ${n.mfu_basis||`The profile does not say what its kernels compute, or the GPU’s peaks are not known.`}`}var ru={ArrowLeft:{by:e=>e.intensity,move:-1},ArrowRight:{by:e=>e.intensity,move:1},ArrowDown:{by:({rate:e})=>e,move:-1},ArrowUp:{by:({rate:e})=>e,move:1}};function iu(e,t,n){let r=ru[n];if(!r)return n===`Home`?0:n===`End`?e.length-1:null;let i=e.map((e,t)=>t).sort((t,n)=>r.by(e[t])-r.by(e[n]));return i[i.indexOf(t)+r.move]??t}var au=22,ou=300,su=15,cu=3,lu=15,uu=32;function du(e,t,n){let r=Kl(e,t),{x:i,y:a}=Jl(e,r,t),o=e=>`${(100*Ar(e,...i)).toFixed(4)}%`,s=e=>Number((au+ou*(1-Ar(e,...a))).toFixed(2)),c=Yl(e,t),l=Math.max(1,...c.map(({op:e})=>e.ns)),u=c.map(e=>W(`g`,{class:`dot`,role:`img`,tabindex:-1},W(`circle`,{cx:o(e.intensity),cy:s(e.rate),r:Math.max(cu,su*Math.sqrt(e.op.ns/l)).toFixed(2)}))),d=(e,t,n)=>W(`line`,{class:e,x1:o(t[0]),y1:s(t[1]),x2:o(n[0]),y2:s(n[1])});return{drawing:W(`svg`,{width:`100%`,height:360,role:`group`,"aria-label":n},...f(),W(`text`,{class:`tick`,x:`50%`,y:356},`arithmetic intensity, FLOP per byte`),...p(r,t.bytes_per_s,`limit`),...p(r.map(e=>({...e,flops_per_s:e.flops_per_s*e.reached_ratio})),t.bytes_per_s*t.bytes_reached_ratio,`limit reached`),...r.map(e=>W(`rect`,{class:`ridge`,x:o(ql(e,t)),y:s(e.flops_per_s),width:8,height:8})),...u,...m()),groups:u};function f(){return[...kr(...i).map(e=>W(`g`,{},d(`grid`,[e,a[0]],[e,a[1]]),W(`text`,{class:`tick`,x:o(e),y:338},j(e)))),...kr(...a).map(e=>W(`g`,{},d(`grid`,[i[0],e],[i[1],e]),W(`text`,{class:`tick end`,x:0,dx:-8,y:s(e)+4},$t(e).replace(`.0`,``))))]}function p(e,t,n){let r=e.map(({flops_per_s:e})=>e/t),o=Math.max(i[0],a[0]/t),s=Math.max(...r);return[...s>o?[d(n,[o,o*t],[s,s*t])]:[],...e.map(({flops_per_s:e},t)=>d(n,[Math.min(r[t]??0,i[1]),e],[i[1],e]))]}function m(){let e=Nr(r.map(({flops_per_s:e})=>s(e)-7),lu,322),n=Math.max(i[0],a[0]/t.bytes_per_s),l=Math.sqrt(n*Math.min(...r.map(e=>ql(e,t))));return[...c.slice(0,1).map(e=>{let t=Ar(e.intensity,...i)>.5?`end`:``,n={x:o(e.intensity),dx:t?su:-15,y:s(e.rate)+su+lu};return W(`text`,{class:`mark ${t}`,...n},dn(Zl(e),uu))}),...r.map(({format:t,flops_per_s:n},r)=>W(`text`,{class:`mark end`,x:`100%`,dx:-4,y:e[r]??0},`${t} ${$t(n)}`)),W(`text`,{class:`mark end`,x:o(l),y:s(l*t.bytes_per_s)-10},`memory ${M(t.bytes_per_s/1e9,`GB/s`)}`)]}}var fu=[q(`Per step`,({op:e})=>e.ns,D),q(`Share`,({op:e})=>e.ratio,k),q(`Intensity`,e=>e.intensity,en),q(`Rate`,({rate:e})=>e,$t),q(`Of the bound`,({op:e})=>e.bound_ratio??null,k),{head:`Bound by`,cell:({op:e})=>e.bound_by,value:({op:e})=>e.bound_by},{head:`Format`,cell:({op:e})=>e.format??``,value:({op:e})=>e.format??``},{head:`Op`,cell:e=>cc(Zl(e)),value:Zl,kind:`name`}],pu=class extends L{constructor(...e){super(...e),this.dots=[],this.inPicture=[]}static{this.styles=I`
    #chart {
      margin-top: 10px;
      padding: 0 14px 0 96px;
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
  `}static{this.properties={report:Object}}changed(e){if(!(`report`in e))return;let{roofline:t}=this.report;this.dots=Gl(Wl(this.report)),this.inPicture=t?Yl(this.dots,t):[]}template(){let{report:e,dots:t,inPicture:n}=this,{roofline:r}=e,i=Wl(e);if(!r||!i)return S`<h3><tfperf-term word="Roofline"></tfperf-term></h3>
        <p class="note name">${nu(e)}</p>`;let a=t.length>0;return S`
      <h3><tfperf-term word="Roofline"></tfperf-term> <small>ops on ${r.name}, per step and GPU</small></h3>
      <p class="name">
        <tfperf-text
          .text=${a?$l(n,t.length-n.length,i):mu}
        ></tfperf-text>
      </p>
      <div ?hidden=${!a}>
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
        <p class="note name">${a?eu(Kl(t,r),r):``} ${hu(r)}</p>
        <tfperf-table
          panel="compute"
          .heading=${`The roofline as a table (${j(t.length)})`}
          .columns=${fu}
          .items=${t}
        ></tfperf-table>
      </div>
    `}drawn(e){let{dots:t,inPicture:n,report:r}=this;if(!(`report`in e)||!r.roofline||t.length===0)return;let{drawing:i,groups:a}=du(t,r.roofline,`Ops by arithmetic intensity and rate; arrow keys go from op to op`),o=this.child(`chart`);o.replaceChildren(i);let s=new U(o),c=n.map(Ql);a.forEach((e,t)=>{e.setAttribute(`aria-label`,c[t]??``),e.addEventListener(`focus`,()=>{for(let t of a)t.setAttribute(`tabindex`,t===e?`0`:`-1`);s.show(e,c[t]??``)}),e.addEventListener(`blur`,()=>s.hide()),e.addEventListener(`pointerenter`,()=>s.show(e,c[t]??``)),e.addEventListener(`pointerleave`,()=>s.hide()),e.addEventListener(`keydown`,e=>{e.key===`Escape`&&s.hide();let r=iu(n,t,e.key);r!==null&&(e.preventDefault(),a[r]?.focus())})}),a[0]?.setAttribute(`tabindex`,`0`)}},mu=`Of no op the profile tells how many floating-point operations it does and how many bytes it moves.`;function hu({source:e,reached_source:t}){return[e&&`Peaks: ${e}.`,t&&`What libraries reach: ${t}.`].filter(Boolean).join(` `)}customElements.define(`tfperf-roofline`,pu);var gu=[`Kind`,`Time`,`Needed`,`Could be won`,`Not judged`,`In parts`],_u=`Told from the name scopes of ops, averaged over steps and GPUs. Where kernels overlap, the time belongs to the one that began first, so phases add up to compute.`,vu=`No kernels can be given to steps in this profile; the host’s ops are below.`,yu=class extends L{constructor(...e){super(...e),this.view=``}static{this.styles=I`
    section + section {
      margin-top: 24px;
    }
    dl {
      display: flex;
      flex-wrap: wrap;
      gap: 12px 32px;
    }
    dl div {
      display: flex;
      flex-direction: column;
      max-width: 240px;
    }
    dt {
      color: var(--ink-2);
      font-size: 13px;
      order: 1;
    }
    dd {
      font-size: 18px;
      line-height: 1.4;
    }
    dd.basis {
      font-size: 12.5px;
      line-height: 18px;
      order: 2;
    }
    dd.missing {
      color: var(--ink-2);
      font-size: 15px;
    }
    .parts {
      margin-top: 10px;
      max-width: 1000px;
    }
    .parts td:last-child,
    .parts th:last-child {
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
    #phases {
      margin-top: 8px;
      position: relative;
    }
    tfperf-rows {
      display: block;
      margin-top: 8px;
    }
  `}static{this.properties={report:Object,view:String}}changed(e){`report`in e&&(this.view=ur(this.report,`kernels`)[0]?.id??``)}template(){let{report:e}=this,{ledger:t,phases:n}=e,r=Hl(e.key_numbers);return S`
      ${r.length>0?S`<section><dl>${r.map(bu)}</dl></section>`:C}
      ${tu(e)?S`<section><tfperf-roofline .report=${e}></tfperf-roofline></section>`:C}
      ${t?.compute_parts.length?xu(t):C} ${this.tables()}
      ${n?S`<section>
              <h3>Compute by phase</h3>
              <p class="note">${Bl(n)}</p>
              <div id="phases" ?hidden=${!n.items}></div>
              <ul class="legend" aria-label="Phases, shares of compute" ?hidden=${!n.items}>
                ${Vl(n).map(({look:e,ns:t,ratio:n})=>Kr(e,`${e.words} ${D(t)}, ${k(n)}`))}
              </ul>
              <p class="note" ?hidden=${!n.items}>${_u}</p>
            </section>`:C}
    `}tables(){let{report:e,view:t}=this,n=ur(e,`kernels`),r=n.find(({id:e})=>e===t);return r?S`<section>
      <h3>Kernels and ops <small>per step and GPU</small></h3>
      <p ?hidden=${V(e,`kernels`)!==null}>${vu}</p>
      <div class="switch" role="group" aria-label="Rows">
        ${n.map(({id:e,title:n})=>S`<button aria-label="Table: ${n}" aria-pressed=${e===t} @click=${()=>this.view=e}>
              ${n}
            </button>`)}
      </div>
      <tfperf-rows .table=${r}></tfperf-rows>
    </section>`:C}drawn(e){if(!(`report`in e))return;let t=this.report.phases?Vl(this.report.phases):[];if(t.length===0)return;let n=t.map(e=>e.words),r=t.reduce((e,{ns:t})=>e+t,0),{drawing:i,segments:a}=si(t,Math.max(1,r),`Compute by phase: ${n.join(`; `)}`,14),o=this.child(`phases`);o.replaceChildren(i),new U(o).explain(i,a,n)}};function bu({value:e,words:t,more:n,note:r}){return S`<div>
    <dt><tfperf-term .word=${t} .meaning=${n??``}></tfperf-term></dt>
    <dd class=${e===null?`missing`:``}>${e??`not known`}</dd>
    ${r?S`<dd class="basis note name">
            ${r} <a href="page?rule=compute" target="_blank" rel="noopener">How it is counted</a>
          </dd>`:C}
  </div>`}function xu(e){let{rows:t,sum:n}=Nl(e.compute_parts);return S`<section>
    <h3>Compute against the GPU’s limits <small>average of GPUs, per step</small></h3>
    <p><tfperf-text .text=${Il(e)}></tfperf-text></p>
    <p><tfperf-text .text=${Fl(e)}></tfperf-text></p>
    <p><a href="page?rule=compute" target="_blank" rel="noopener">How compute is judged</a></p>
    <div class="scroll parts" tabindex="0" role="group" aria-label="Compute by kind of kernels">
      <table>
        <thead>
          <tr>
            ${gu.map((e,t)=>S`<th class=${t>0&&t<5?`number`:``}>${xi(e,`compute`)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${t.map(e=>Su(e,``,n.ns))} ${Su(n,`sum`,n.ns)}
        </tbody>
      </table>
    </div>
  </section>`}function Su(e,t,n){let r=Pl(e),i=r.map(({look:e,ns:t})=>`${e.words}, ${D(t)}`).join(`; `);return S`
    <tr class=${t}>
      <td><tfperf-text .text=${e.kind}></tfperf-text></td>
      ${[e.ns,e.floor_ns,e.recoverable_ns,e.not_judged_ns].map(e=>S`<td class="number">${D(e)}</td>`)}
      <td>${si(r,Math.max(1,n),`${e.kind}: ${i}`,14).drawing}</td>
    </tr>
  `}customElements.define(`tfperf-kernels`,yu);var Cu=class extends L{constructor(...e){super(...e),this.access=null,this.typed=r,this.refused=a,this.recomputing=!1,this.finding=null,this.opened=new Set}static{this.styles=I`
    :host {
      display: grid;
      gap: 6px;
    }
    section {
      background: var(--panel);
      border: 1px solid var(--line);
      border-radius: 10px;
      min-width: 0;
    }
    .head {
      align-items: baseline;
      border-radius: 10px;
      display: grid;
      gap: 2px 12px;
      grid-template-columns: 132px minmax(0, 1fr) auto 12px;
      padding: 4px 18px;
      position: relative;
    }
    .head:hover {
      background: var(--ground);
    }
    h2 {
      font-size: 14px;
    }
    /* All of the line opens and closes. */
    .title::after {
      border-radius: 10px;
      content: '';
      inset: 0;
      position: absolute;
    }
    .title:focus-visible {
      outline: none;
    }
    .title:focus-visible::after {
      outline: 2px solid var(--accent);
      outline-offset: -2px;
    }
    .answer {
      color: var(--ink-2);
      max-width: none;
    }
    .open .answer {
      color: var(--ink);
    }
    .chip {
      background: var(--ground);
      border-radius: 10px;
      font-size: 12.5px;
      font-variant-numeric: tabular-nums;
      font-weight: 500;
      padding: 1px 8px;
      white-space: nowrap;
    }
    .head:hover .chip {
      background: var(--panel);
    }
    .arrow {
      color: var(--ink-2);
      grid-column: 4;
      text-align: center;
    }
    .open .arrow {
      transform: rotate(90deg);
    }
    @media (max-width: 600px) {
      .head {
        grid-template-columns: minmax(0, 1fr) auto 12px;
      }
      .answer {
        grid-column: 1 / -1;
        grid-row: 2;
      }
      .arrow {
        grid-column: 3;
      }
    }
    .body {
      --page: var(--panel);
      border-top: 1px solid var(--line);
      display: grid;
      gap: 28px;
      grid-template-columns: minmax(0, 1fr);
      padding: 8px 18px 10px;
    }
  `}static{this.properties={report:Object,access:Object,typed:Object,refused:Object,recomputing:Boolean,finding:Object,opened:Object}}changed(e){let t=e.report;`report`in e&&t?.run!==this.report.run&&(this.opened=Sr(this.report,this.finding))}template(){return S`${this.report.sections.map(e=>this.section(e))}`}show(e){this.opened=new Set([...this.opened,e]),this.drawNow(),this.shadowRoot.getElementById(e)?.querySelector(`button`)?.focus()}section({id:e,answer:t,chip:n}){let r=this.opened.has(e);return S`
      <section id=${e} class=${r?`open`:``} aria-labelledby="${e}-title">
        <div class="head">
          <h2>
            <button
              id="${e}-title"
              class="bare title"
              aria-expanded=${r}
              aria-controls="${e}-body"
              aria-describedby="${e}-answer"
              @click=${()=>{this.opened=new Set(r?[...this.opened].filter(t=>t!==e):[...this.opened,e])}}
            >
              ${vr(e,this.report)}
            </button>
          </h2>
          <p id="${e}-answer" class="answer name">${N(t)}</p>
          ${n?S`<span class="chip">${n}</span>`:C}
          <span class="arrow" aria-hidden="true">›</span>
        </div>
        <div id="${e}-body" class="body" ?hidden=${!r}>${r?this.body(e):C}</div>
      </section>
    `}body(e){let{report:t}=this;switch(e){case`communication`:return S`<tfperf-communication
          .report=${t}
          .access=${this.access}
          .typed=${this.typed}
          .refused=${this.refused}
          .recomputing=${this.recomputing}
        ></tfperf-communication>`;case`hosts`:return S`<tfperf-hosts .report=${t}></tfperf-hosts>`;case`kernels`:return S`<tfperf-kernels .report=${t}></tfperf-kernels>`;case`input`:return S`<tfperf-input .report=${t}></tfperf-input>`;case`memory`:return S`<tfperf-memory .memory=${t.memory} .each=${V(t,`memory`)}></tfperf-memory>`;case`machine`:return S`<tfperf-machine .machine=${t.machine} .each=${V(t,`machine`)}></tfperf-machine>`;case`checks`:return S`<tfperf-checks .report=${t}></tfperf-checks>`;case`training`:return S`<tfperf-training .report=${t}></tfperf-training>`}}};customElements.define(`tfperf-sections`,Cu);var wu=22,Tu=wu/2;function Eu(e,{ticks:t,bars:n}){e.replaceChildren(ei(t));let r=new U(e);for(let{name:i,state:a,look:o,words:s,bar:c,interval:l}of n){if(e.append(ii(i,`name`)),c){let n={x:G(c.begin),width:G(Math.max(c.end-c.begin,.002)),y:4,height:14},i=[W(`rect`,{class:`change ${o}`,...n})],a=W(`svg`,{width:`100%`,height:wu,role:`img`,"aria-label":s},...ti({ticks:t}));if(a.append(...i),l){let[e,t]=[G(l.begin),G(l.end)];a.append(W(`line`,{class:`span`,x1:e,x2:t,y1:Tu,y2:Tu}),...[e,t].map(e=>W(`line`,{class:`span`,x1:e,x2:e,y1:7,y2:15})))}r.explain(a,i,[s]),e.append(a)}e.append(ii(a,`state ${o} ${c?``:`alone`}`))}}var Du={better:`good`,worse:`critical`,failed:`critical`,suspicious:`warning`,"not comparable":`warning`,"not readable":`warning`},Ou=[[`base`,`Before`],[`new`,`With the change`]];function ku(e){let{launches:t,low_ns:n,high_ns:r,foretold_low_ns:i,foretold_high_ns:a}=e;if(t.length===0)return null;let o=t.map(({side:e,ns:t},n)=>({side:e,ns:t,words:[`launch ${n+1}`,D(t)]}));return ci(Ou.map(([e,t])=>({side:e,name:t,dots:o.filter(t=>t.side===e)})),{ns:n===null||r===null?null:[n,r],words:`With the interval of the change:`},{ns:i===null||a===null?null:[i,a],words:`Foretold by the finding:`})}function Au(e){let t=e.flatMap(({low:e,high:t,ratio:n})=>[e,t,n]).filter(e=>e!==null),[n,r]=[Math.min(1,...t),Math.max(1,...t)],i=Math.max((r-n)/20,.01),[a,o]=[n-i,r+i],s=e=>(e-a)/(o-a);return{ticks:li(a-1,o-1).map(e=>{let t=Math.round(e*1e6)/1e6;return{at:s(1+t),words:Qt(t)}}),bars:e.map(({switch:e,finding:t,state:n,sentence:r,shows:i,ratio:a,low:o,high:c})=>{let l=r||`${e} was not tried.`,u=t?`${l} Named by ${t}.`:l,d=(e,t)=>({begin:s(e),end:s(t),words:u});return{name:i?`${e} (a probe)`:e,state:n,look:Du[n]??``,words:u,bar:a===null?null:d(Math.min(a,1),Math.max(a,1)),interval:o===null||c===null?null:d(o,c)}})}}var ju=class extends L{constructor(...e){super(...e),this.found=Pt,this.chosen=null}static{this.styles=I`
    ${Zr}
    :host {
      margin-top: 24px;
      scroll-margin-top: 12px;
    }
    li {
      border-top: 1px solid var(--line);
    }
    li:last-child {
      border-bottom: 1px solid var(--line);
    }
    .head {
      align-items: baseline;
      display: grid;
      gap: 0 12px;
      grid-template-columns: 120px minmax(0, 1fr) minmax(0, 2.4fr) auto;
      padding: 8px 0;
      width: 100%;
    }
    .head:hover .title {
      text-decoration: underline;
    }
    .title {
      color: var(--accent);
      font-weight: 500;
    }
    .state {
      font-size: 13px;
    }
    .good {
      color: var(--good);
      font-weight: 600;
    }
    .critical {
      color: var(--critical);
      font-weight: 600;
    }
    .warning {
      color: var(--warning);
      font-weight: 600;
    }
    .detail {
      padding: 0 0 14px;
    }
    h3 {
      margin-top: 12px;
    }
    .launches,
    pre {
      max-width: 900px;
    }
    #switches {
      grid-template-columns: minmax(80px, 220px) minmax(0, 1fr) 104px;
    }
    .launches .alone {
      grid-column: 2 / -1;
    }
    .change {
      fill: var(--account-unknown);
    }
    .change.good {
      fill: var(--account-recoverable);
    }
    .change.critical {
      fill: var(--account-between);
    }
    .span {
      stroke: var(--ink);
      stroke-width: 1.5;
    }
    pre {
      background: var(--ground);
      border: 1px solid var(--line);
      border-radius: 6px;
      margin-top: 8px;
      overflow-x: auto;
      padding: 8px 12px;
    }
    ul {
      margin-top: 8px;
    }
    @media (max-width: 640px) {
      .head {
        grid-template-columns: 120px minmax(0, 1fr);
      }
      .sentence,
      .written {
        grid-column: 1 / -1;
      }
      #launches {
        grid-template-columns: 80px minmax(0, 1fr) 24px;
      }
      #switches {
        grid-template-columns: 104px minmax(0, 1fr) 64px;
      }
    }
  `}static{this.properties={found:Object,chosen:String}}template(){let{trials:e,more_count:t}=this.found;return S`
      <h2 tabindex="-1">Trials</h2>
      <p class="note">
        What tfperf try and tfperf tune keep in this log directory, the newest first.
        ${t>0?`${P(t,`older one is`,`older ones are`)} not shown.`:``}
      </p>
      <ul>
        ${e.map(e=>S`<li>${this.head(e)}${this.isOpen(e)?this.detail(e):C}</li>`)}
      </ul>
    `}isOpen({name:e}){return e===this.chosen}head(e){let{name:t,kind:n,state:r,sentence:i,written:a}=e,o=this.isOpen(e);return S`<button
      class="bare head"
      aria-expanded=${o}
      @click=${()=>R(this,`board-change`,{trial:o?null:t})}
    >
      <span class="state ${Du[r]??``}">${r}</span>
      <span class="title name">${t}</span>
      <span class="sentence name">${N(i)}</span>
      <span class="written note">${n===`tuning`?`Tuning`:`Trial`} ${a&&`of ${a}`}</span>
    </button>`}detail(e){let{kind:t,reasons:n,before:r,after:i,launches:a,switches:o,keep:s,command:c}=e,l=Au(o).bars;return S`<div class="detail">
      ${n.map(e=>S`<p class="note name">${N(e)}</p>`)}
      ${o.length>0?S`<h3>Each switch alone, at first look <small>what it changes of a step, and the interval</small></h3>
              <div id="switches" class="launches"></div>
              <details>
                <summary>Each switch in words</summary>
                ${l.map(({words:e})=>S`<p class="note name">${N(e)}</p>`)}
              </details>`:C}
      ${a.length>0?S`<h3>
                ${t===`tuning`?`The proof of what may help together`:`The launches`}
                <small>each dot is a launch: how long a step takes</small>
              </h3>
              <p class="note name">Before: <code>${r}</code></p>
              <p class="note name">With the change: <code>${i}</code></p>
              <div id="launches" class="launches"></div>`:C}
      ${s?this.copied(`Lines to write into the code`,`Copy the lines`,s):C}
      ${c?this.copied(`To repeat it`,`Copy the command`,c):C}
    </div>`}copied(e,t,n){return S`<h3>${e} <tfperf-copy .words=${t} .text=${n}></tfperf-copy></h3>
      <pre tabindex="0" aria-label=${e}>${n}</pre>`}drawn(e){let t=this.found.trials.find(e=>this.isOpen(e)),n=t&&ku(t);n&&Qr(this.child(`launches`),n),t?.switches.length&&Eu(this.child(`switches`),Au(t.switches)),e.found===void 0&&t&&this.scrollIntoView()}show(){this.scrollIntoView(),this.shadowRoot.querySelector(`h2`)?.focus()}};customElements.define(`tfperf-trials`,ju);var Mu=class extends L{constructor(...e){super(...e),this.ask=null,this.marks={},this.typed=r,this.refused=a,this.open=null,this.together=null,this.least=0,this.newest=new lo}static{this.styles=I`
    :host {
      padding-top: 12px;
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
      padding: 10px 18px;
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
    /* One line where there is room, so that a mark on a finding does not make it higher. */
    @media (min-width: 1000px) {
      .first {
        flex-wrap: nowrap;
        white-space: nowrap;
      }
      .follows {
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
      }
    }
    .times {
      align-items: start;
      display: grid;
      gap: 4px 12px;
      grid-template-columns: auto auto auto;
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
    .compute,
    .training {
      line-height: 1.25;
    }
    h1 {
      font-size: 20px;
      font-weight: 500;
      line-height: 26px;
    }
    .cause {
      color: var(--ink-2);
      margin: 3px 0 8px;
      min-height: 42px;
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
      display: inline-block;
      min-height: 24px;
      text-decoration: underline;
    }
    .band {
      align-items: center;
      background: var(--warning-ground);
      border-radius: 8px;
      color: var(--warning);
      display: flex;
      flex-wrap: wrap;
      gap: 4px 12px;
      margin-bottom: 10px;
      padding: 6px 14px;
    }
    .band button {
      color: inherit;
      min-height: 24px;
      text-decoration: underline;
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
    tfperf-field {
      margin-top: 8px;
    }
    h3 {
      font-size: 15px;
      font-weight: 600;
    }
    .note-body a {
      display: inline-block;
      line-height: 24px;
    }
    @media (max-width: 1180px) {
      section {
        grid-template-columns: minmax(0, 320px) minmax(0, 1fr);
      }
      .times {
        column-gap: 8px;
      }
      .big {
        font-size: 25px;
      }
      section > .evidence {
        border-left: 0;
        border-top: 1px solid var(--line);
        grid-column: 1 / -1;
      }
    }
    @media (max-width: 640px) {
      .first {
        flex-wrap: wrap;
      }
      section {
        grid-template-columns: minmax(0, 1fr);
      }
      section > div + div {
        border-left: 0;
        border-top: 1px solid var(--line);
      }
    }
  `}static{this.properties={report:Object,ask:Object,marks:Object,typed:Object,refused:Object,open:Object,together:Object}}changed(e){`report`in e&&(this.open=null),`report`in e?this.least=0:`marks`in e&&(this.least=this.shadowRoot.querySelector(`section`)?.offsetHeight??0)}template(){let{report:e,marks:t,open:n}=this,r=uo(e,t),{first:i,words:a}=r,o=ho(e),s=e.whole?.sentence??``,c=e.pace?.verdict===`differs`,l=e.capture_quality?.level??``;return S`
      ${c?this.band({title:`The training is slower than this recording`,words:s,note:null,line:``}):C}
      ${o?this.band(o):C}
      <section aria-label="Verdict" style="min-height: ${this.least}px">
        <div>
          ${Nu(e,r.after??this.together)} ${Pu(e)}
          <p class="note training name" ?hidden=${c||!s}>${N(s)}</p>
          ${this.epochs(e)}
        </div>
        <div>
          <p class="head first">
            <span class="asks">${r.asks}</span>
            ${i?S`<tfperf-severity .severity=${i.severity}></tfperf-severity>
                    <span class="follows" title=${r.follows} ?hidden=${!r.follows}>${r.follows}</span
                    ><span class="saving">${N(r.saving)}</span>`:r.follows}
          </p>
          <h1 class="name">${r.action}</h1>
          <p class="cause name">
            ${a?.most?S`<span class="most">${a.most}</span>`:C}
            <tfperf-text .text=${r.cause}></tfperf-text>
          </p>
          <div class="do">
            ${r.command?S`<code class="command name">${r.command}</code>
                    <tfperf-copy words="Copy" .text=${r.command}></tfperf-copy>`:C}
            ${i?S`<tfperf-copy words="Copy for agent" .text=${a?.agent}></tfperf-copy>`:C}
          </div>
        </div>
        <div class="evidence">
          <h2 class="head">
            <tfperf-term word="Evidence"></tfperf-term> <span class="level" ?hidden=${!l}>${l}</span>
          </h2>
          <ul class="reasons">
            ${this.reasons(i)}
          </ul>
        </div>
      </section>
      <div id="body">${n?Fu(n):C}</div>
    `}drawn(e){if(![`report`,`ask`,`marks`].some(t=>t in e))return;this.newest.stop(),this.together=null;let{ask:t,report:n,marks:r}=this,{together:i}=uo(n,r);t&&i.length>0&&this.newest.ask(e=>t(i,e),e=>this.together=e?.after??null)}epochs(e){let{pace:t}=e;return!t||t.counts!==`epochs`&&t.steps_per_epoch===null?C:S`<tfperf-field
      .name=${`steps_per_epoch`}
      .label=${`Training steps of an epoch`}
      .hint=${t.steps_per_epoch===null?`e.g. 300`:j(t.steps_per_epoch)}
      .typed=${this.typed.steps_per_epoch}
      .refusal=${this.refused.steps_per_epoch}
      .report=${e}
    ></tfperf-field>`}band({title:e,words:t,note:n,line:r}){return S`<div class="band name" role="note">
      <span><b>${e}.</b> ${t}</span>
      ${r?S`<code class="command">${r}</code><tfperf-copy words="Copy" .text=${r}></tfperf-copy>`:C}
      ${n?S`<button class="bare" @click=${()=>this.show(n)}>How</button>`:C}
    </div>`}show(e){this.open=e===this.open?null:e}checks(){let e=this.getRootNode().querySelector(`tfperf-sections`);e?.show(`checks`),e?.shadowRoot.getElementById(`checks`)?.scrollIntoView({block:`start`})}reasons(e){let{report:t}=this,n=(e,t)=>S`<li>
        <i class=${e?`ok`:`doubt`} aria-hidden="true">${e?`✓`:`!`}</i
        ><span class="unseen">${e?``:`Doubt: `}</span>${t}
      </li>`,r=`${P(t.missing_data.length,`check`)} lacked data`,i=new Set(t.trust.map(({title:e})=>e)),a=(t.capture_quality?.reasons??[]).filter(({text:e})=>!i.has(e));return[e?n(e.confidence!==`low`,`Finding of ${e.confidence} confidence`):C,...a.map(({ok:e,text:t})=>n(e,t===r?S`<button class="bare lacks" @click=${()=>this.checks()}>${t}</button>`:S`<tfperf-text .text=${t}></tfperf-text>`)),...t.trust.map(e=>S`<li>
            <i class=${e.severity===`info`?``:`doubt`} aria-hidden="true">${xa[e.severity]}</i
            ><button
              class="bare chip name"
              aria-expanded=${e===this.open}
              aria-controls="body"
              @click=${()=>this.show(e)}
            >
              <span class="unseen">${e.severity}: </span>${e.title}
            </button>
          </li>`)]}};function Nu({verdict:{unit:e,now:t,note:n}},r){return S`
    <div class="times ${t.length>1?`groups`:``}">
      <div class="now">
        <p class="head">${e}</p>
        ${t.map(({time:e,of:t})=>S`<div class="big name">${N(e)} <span>${t}</span></div>`)}
        <p class="note name" ?hidden=${!n}>${N(n)}</p>
      </div>
      ${r?S`<div class="arrow" aria-hidden="true">→</div>
              <div class="after">
                <p class="head">${r.of}</p>
                <div class="big gain">${N(r.time)}</div>
                <p class="note"><b class="gain">${N(r.change)}</b></p>
                <p class="note" ?hidden=${!r.likely}>${N(r.likely)}</p>
              </div>`:C}
    </div>
  `}function Pu({verdict:{compute:e},key_numbers:{mfu_ratio:t,mfu_basis:n}}){if(!e)return C;let r=S`; <tfperf-term word="MFU not known" .meaning=${n}></tfperf-term>`;return S`<p class="note compute name">
    <tfperf-text .text=${N(e)}></tfperf-text>${t===null&&n?r:C}
  </p>`}function Fu({id:e,title:t,severity:n,summary:r,evidence:i,explains:a,fix:o,guide:s}){let c=e=>S`<tfperf-evidence .items=${e} ?hidden=${e.length===0}></tfperf-evidence>`;return S`
    <div class="note-body">
      <tfperf-severity .severity=${n}></tfperf-severity>
      <h3 class="name">${t}</h3>
      <p class="name"><tfperf-text .text=${r}></tfperf-text></p>
      ${c(i)}
      ${a.map(e=>S` <p class="name">
              It also explains: ${e.title}. ${e.summary}
              <a class="note" href=${ce(document.baseURI,e.id)} target="_blank" rel="noopener"
                >How this is measured</a
              >
            </p>
            ${c(e.evidence)}`)}
      <tfperf-fix .fix=${o} .guide=${s} .rule=${e}></tfperf-fix>
      <tfperf-limits .rule=${e} .of=${t}></tfperf-limits>
    </div>
  `}customElements.define(`tfperf-verdict`,Mu);var Iu={not_found:`This run is not there`,bad_request:`This cannot be asked`,unreadable:`This profile cannot be read`,not_judgeable:`This profile cannot be judged`,cancelled:`The analysis was stopped`,busy:`Too many analyses at once`,internal:`The analysis failed`,unreachable:`No answer`},Lu={not_found:`Go back to Runs and choose another one, or look again if it has just been written.`,bad_request:`Try again without what was typed in or held by the address.`,unreadable:`If it is still being written, try again when that is done. Other runs stay usable.`,not_judgeable:`Record it again with GPU and host tracing on, or go back to Runs and choose another one.`,cancelled:`Nothing was kept of it.`,busy:`Wait until some of them are done or canceled, then try again. Reports that are done can be opened meanwhile.`,internal:`Other runs stay usable. The log of TensorBoard holds the details; please report them.`,unreachable:`Start TensorBoard again, then try once more.`},Ru=class extends L{static{this.styles=I`
    :host {
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
  `}static{this.properties={error:Object}}template(){let{kind:e,message:t}=this.error;return S`
      <section role="alert">
        <h1>${Iu[e]}</h1>
        <p class="name">${t}</p>
        <p>${Lu[e]}</p>
      </section>
      <button class="button" @click=${()=>R(this,`retry`)}>
        ${e===`cancelled`?`Analyze`:`Try again`}
      </button>
    `}};customElements.define(`tfperf-failure`,Ru);var zu=`import tensorflow as tf

tensorboard = tf.keras.callbacks.TensorBoard("LOGDIR", profile_batch=(10, 20))
model.fit(data, epochs=1, callbacks=[tensorboard])`,Bu=`import tensorflow as tf

for step in range(30):
    if step == 10:
        tf.profiler.experimental.start("LOGDIR")
    with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        batch = next(batches)
        train_step(batch)
tf.profiler.experimental.stop()`,Vu=`from torch.profiler import profile, schedule, tensorboard_trace_handler

with profile(
    schedule=schedule(wait=5, warmup=2, active=10),
    on_trace_ready=tensorboard_trace_handler("LOGDIR"),
    record_shapes=True,
) as profiler:
    for batch in loader:
        train_step(batch)
        profiler.step()`,Hu=class extends L{static{this.styles=I`
    :host {
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
  `}template(){return S`
      <h1>No profiles in this log directory yet</h1>
      <p>
        Record ten or so steps after the first ones, which trace and compile. Write them to the directory that
        TensorBoard reads (LOGDIR below).
      </p>
      <tfperf-code framework="Keras" .code=${zu}></tfperf-code>
      <tfperf-code framework="Custom training loop" .code=${Bu}></tfperf-code>
      <tfperf-code framework="PyTorch" .code=${Vu}></tfperf-code>
      <p class="note">
        The batch is fetched inside the Trace block, so that waiting for input counts as part of the step.
      </p>
      <button class="button accent" @click=${()=>R(this,`retry`)}>Look again</button>
    `}};customElements.define(`tfperf-no-profiles`,Hu);var Uu=class extends L{constructor(...e){super(...e),this.progress=null}static{this.styles=I`
    :host {
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
  `}static{this.properties={progress:Object}}template(){let{progress:e}=this;return S`
      <h1>
        <span role="status">${e?Wu(e):`Loading`} …</span>
      </h1>
      ${e?Gu(e,()=>R(this,`cancel`)):C}
    `}};function Wu({words:e,waits_for:t}){return t?`Waiting for the analysis of ${t.join(` and `)}`:e}function Gu({share:e,hosts_done_count:t,hosts_count:n},r){return S`
    <progress max="1" .value=${e} aria-label="Share of the analysis that is done"></progress>
    <p class="note">${t===void 0||!n?``:`Host ${Math.min(t+1,n)} of ${n}. `}${k(e)} done. A large profile takes some seconds once; the result is kept.</p>
    <button class="button" @click=${r}>Cancel</button>
  `}customElements.define(`tfperf-progress`,Uu);var Ku=class extends L{constructor(...e){super(...e),this.state=Ft}static{this.styles=I`
    :host {
      background: var(--page);
      min-height: 100vh;
      overflow-wrap: break-word;
    }
    /* Wide windows: the charts grow; lines of text do not (theme.ts). */
    main {
      margin: 0 auto;
      max-width: 1800px;
      padding: 0 24px 8px;
    }
    tfperf-budget,
    tfperf-finding-timeline,
    tfperf-sections {
      margin-top: 12px;
    }
  `}static{this.properties={state:Object}}start(e,t){return this.controller=new Lt(e,t,e=>this.state=e),this.listen(t),this.controller.start()}reload(){this.controller.reload()}template(){let{view:e,run:t,runs:n,trials:r,report:i,typed:a,address:o,round:s,said:c}=this.state;return S`
      <main class=${e}>
        <div class="unseen" role="status">${c}</div>
        ${e!==`runs`&&(n.length>0||t!==null)?S`<tfperf-bar
                .runs=${n}
                .trials=${r.trials.length}
                .run=${t}
                .base=${o.base}
                .typed=${a}
                .report=${e===`report`?i:null}
              ></tfperf-bar>`:C}
        ${s>0?S`<tfperf-board
                  ?hidden=${e!==`runs`||n.length===0}
                  .on=${e===`runs`}
                  .backend=${this.controller.backend}
                  .runs=${n}
                  .base=${o.base}
                  .state=${this.state.board}
                  .round=${s}
                  ><button class="button" ?hidden=${r.trials.length===0} @click=${this.toTrials}>
                    ${P(r.trials.length,`trial`)} ↓
                  </button></tfperf-board
                ><tfperf-trials
                  ?hidden=${e!==`runs`||r.trials.length===0}
                  .found=${r}
                  .chosen=${this.state.board.trial}
                ></tfperf-trials>`:C}
        ${this.content()}
        <tfperf-keys></tfperf-keys>
      </main>
    `}toTrials(){this.shadowRoot.querySelector(`tfperf-trials`)?.show()}content(){let{view:e,report:t,progress:n,error:r}=this.state;switch(e){case`waiting`:return S`<tfperf-progress .progress=${n}></tfperf-progress>`;case`empty`:return S`<tfperf-no-profiles></tfperf-no-profiles>`;case`failed`:return S`<tfperf-failure .error=${r}></tfperf-failure>`;case`runs`:return C;case`report`:return t?this.report(t):C}}report(e){let{access:t,address:n,hovered:r,marks:i,owner:a,recomputing:o,refused:s,target:c,typed:l}=this.state,{base:u,step:d,without:f,zoom:p}=n,{backend:m,predict:h,timeline:ee}=this.controller,g=It(this.state),_=Ot(g?[g]:[],n.finding)?n.finding:null;return S`
      ${u===null||u===e.run?C:S`<tfperf-compare
              .backend=${m}
              .sides=${JSON.stringify([[u],[e.run]])}
              .round=${e}
            ></tfperf-compare>`}
      <tfperf-verdict
        .report=${e}
        .ask=${h}
        .marks=${i}
        .typed=${l}
        .refused=${s}
      ></tfperf-verdict>
      <tfperf-budget
        .report=${e}
        .ask=${h}
        .without=${f}
        .selected=${g?.id??null}
        .owner=${a}
        .marks=${i}
      ></tfperf-budget>
      ${e.steps.columns.length+e.findings.length?S`<tfperf-finding-timeline
              .report=${e}
              .access=${t}
              .ask=${ee}
              .locked=${_??g?.id??null}
              .hovered=${r}
              .step=${d}
              .zoom=${p}
              .marks=${i}
              .target=${c}
            ></tfperf-finding-timeline>`:C}
      <tfperf-sections
        .report=${e}
        .access=${t}
        .typed=${l}
        .refused=${s}
        .recomputing=${o}
        .finding=${g}
      ></tfperf-sections>
    `}listen(e){let{controller:t}=this,n=(e,t)=>this.addEventListener(e,e=>t(e.detail));n(`run-change`,({run:e})=>t.openRun(e)),n(`go-to-runs`,()=>t.openRuns()),n(`board-change`,e=>t.changeBoard(e)),n(`base-change`,({base:e})=>t.setBase(e)),n(`assume`,({field:e,text:n})=>t.assume(e,n)),n(`retry`,()=>t.retry()),n(`cancel`,()=>t.cancel()),n(`finding-select`,({id:e})=>t.select(e)),n(`finding-hover`,({id:e})=>t.hover(e)),n(`owner`,({id:e})=>t.own(e)),n(`zoom-change`,({zoom:e})=>t.zoom(e)),n(`timeline-back`,()=>t.back()),n(`step-change`,({id:e})=>t.goToStep(e)),n(`show-in-timeline`,({place:e})=>t.goToPlace(e)),n(`mark`,({id:e,mark:n})=>t.mark(e,n)),n(`without-change`,({without:e})=>t.setWithout(e)),n(`link`,e=>{e.answer=t.link(e.id)}),n(`thresholds`,e=>{e.answer=t.thresholds()}),n(`try-out`,e=>{e.answer=t.tryOut(e.tried)}),n(`save-trace`,e=>{e.answer=t.backend.slice(e.target,e.signal)}),n(`open-profile-tab`,({target:t,click:n})=>{e.openProfileTab(t)&&n.preventDefault()})}onPageKey({key:e}){this.state.view!==`runs`&&(e===`r`?this.controller.openRuns():e===`p`&&this.controller.pin())}};customElements.define(`tfperf-app`,Ku);var qu=2e4;function Ju(){try{return window.parent.document===document?null:window.parent}catch{return null}}function Yu(e){return e.querySelector(`iframe[src$="plugin_entry.html?name=profile"]`)}function Xu(e,t){return new Promise(n=>{let r=e=>{a.disconnect(),clearTimeout(o),n(e)},i=()=>{let e=t();e!==null&&r(e)},a=new MutationObserver(i),o=setTimeout(()=>r(null),qu);a.observe(e,{childList:!0,subtree:!0}),i()})}var Zu=class{constructor(e=Ju(),t=document.baseURI){this.tensorboard=e,this.baseURI=t}readAddress(){return this.tensorboard?dt(this.tensorboard.location.hash):T}writeAddress(e){if(!this.tensorboard||!ft(this.tensorboard.location.hash))return;let{history:t,location:n}=this.tensorboard,r=pt(n.hash,e);r!==n.hash&&t.replaceState(t.state,``,r)}back(){this.tensorboard?.history.back()}stepOn(){let{history:e,location:t}=this.tensorboard??{};t&&ft(t.hash)&&e?.pushState(e.state,``,t.href)}link(e){let t=new URL(this.tensorboard?.location.href??h(this.baseURI).href);return t.hash=pt(t.hash,e),t.href}marks(e){return wt(e)}keepMarks(e,t){Tt(e,t)}recall(e){return l(e)}keep(e,t){u(e,t)}isShown(){return window.innerHeight>0}onShown(e){let t=this.tensorboard,n=$u();if(!t||!n)return;let r=()=>{this.isShown()&&e()},{ResizeObserver:i}=t;new i(r).observe(n),t.addEventListener(`hashchange`,r)}openProfileTab(e){let t=this.tensorboard;return t?(t.location.hash=`profile`,t.history.replaceState(t.history.state,``,`${re(e)}#profile`),this.zoomProfileTab(t,e),!0):!1}async zoomProfileTab(e,t){let n=await Xu(e.document,()=>Yu(e.document)),r=n?.contentWindow;if(!n||!r)return;r.location.replace(ae(this.baseURI,t,Date.now().toString(36))),await new Promise(e=>n.addEventListener(`load`,e,{once:!0}));let i=n.contentDocument;if(!i)return;let a=await Xu(i,()=>{let e=i.querySelector(`trace-viewer iframe`);return e?.src?e:null});a&&(a.contentWindow?.location.replace(oe(a.src,t)),e.location.hash===``&&e.history.replaceState(e.history.state,``,`${e.location.search}#profile`))}};function Qu(){document.documentElement.lang=`en`,document.title=`Diagnostics`;let e=$u();e&&(e.title=`Diagnostics`)}function $u(){try{return window.frameElement}catch{return null}}function ed(){let e=document.documentElement,t=Ju()?.document.body;if(t){let n=()=>{e.dataset.theme=t.classList.contains(`dark-mode`)?`dark`:`light`};n(),new MutationObserver(n).observe(t,{attributes:!0,attributeFilter:[`class`]});return}let n=window.matchMedia(`(prefers-color-scheme: dark)`),r=()=>{e.dataset.theme=n.matches?`dark`:`light`};r(),n.addEventListener(`change`,r)}function td(e=$u()){e&&Object.defineProperty(e,"reload",{configurable:!0,get:()=>void 0,set:t=>{let n=Yu(e.ownerDocument);n&&Object.assign(n,{reload:t})}})}function nd(e){let t=Ju();if(!t)return;let{port1:n,port2:r}=new MessageChannel;n.onmessage=({data:t})=>{let{type:r,id:i,isReply:a}=JSON.parse(t);a||(n.postMessage(JSON.stringify({type:r,id:i,payload:null,error:null,isReply:!0})),r===`experimental.DataReloaded`&&e())},t.postMessage(`experimental.bootstrap`,`*`,[r])}function rd(){Qu(),td(),ed();let e=document.createElement(`style`);e.textContent=Ln,document.head.append(e);let t=document.createElement(`tfperf-app`);document.body.append(t),nd(()=>t.reload()),t.start(new we(document.baseURI),new Zu)}export{rd as render};