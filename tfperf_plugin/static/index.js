var e=`trace_viewer@`,t=.001;function n(e){return new URL(`../../../`,e)}function r(e){return new URL(`../profile/`,e)}function i(e,n){let r=Math.min(e,n),i=Math.max(e,n),a=Math.max((i-r)*.1,t);return{begin:Math.max(0,r-a),end:Math.max(t,i+a)}}function a(e){return e.toFixed(6)}function o(e,t={}){let{run:n,host:r}=e;return new URLSearchParams({run:n,host:r,hosts:r,...t}).toString()}function s(t,r){let i=n(t);return i.search=o(r,{tool:e}),i.hash=`profile`,i.href}function c(t){return`?${new URLSearchParams({tool:e,run:t.run,hosts:t.host})}`}function l(t,n){let s=r(t),c=new URL(`data?${o(n,{tag:e})}`,s),{begin:l,end:u}=i(n.beginMs,n.endMs),d=new URL(`trace_viewer_index.html`,s);return d.search=new URLSearchParams({is_streaming:`true`,is_oss:`true`,trace_data_url:c.pathname+c.search,source_code_service:`false`,view_start:a(l),view_end:a(u)}).toString(),d.href}function u(t,n,s){let{begin:c,end:l}=i(n.beginMs,n.endMs),u=new URL(`index.html`,r(t));return u.search=o(n,{tool:e,view_start:a(c),view_end:a(l),nonce:s}),u.href}function d(e,t){let n=new URL(e),{begin:r,end:o}=i(t.beginMs,t.endMs);return n.searchParams.set(`view_start`,a(r)),n.searchParams.set(`view_end`,a(o)),n.href}function f(e,t){return new URL(`page?${new URLSearchParams({rule:t})}`,e).href}function ee(e){try{let t=new URL(e);return[`http:`,`https:`].includes(t.protocol)?t.href:void 0}catch{return}}var p=class extends Error{constructor(e,t){super(e),this.kind=t}};function te(e,t){return e?.state===`ready`&&e.hosts.includes(t)}function ne(e,t){switch(e?.state){case void 0:return``;case`no_plugin`:return`The trace viewer is not there: TensorBoard’s profile plugin is missing (pip install xprof).`;case`no_run`:return`The trace viewer does not list this run.`;case`ready`:return te(e,t)?``:`The trace viewer does not list this host.`}}var re=250,ie=1e3,ae=[`not_found`,`bad_request`,`unreadable`,`not_judgeable`],oe=class{constructor(e,t=(e,t)=>window.fetch(e,t),n=e=>new Promise(t=>setTimeout(t,e))){this.baseURI=e,this.fetch=t,this.pause=n}async runs(){let{body:e}=await this.ask(`runs`);return e.runs}async report(e,t,n){let r=new URLSearchParams({run:e.run});e.parameters!==null&&r.set(`parameters`,e.parameters),e.bandwidth!==null&&r.set(`bandwidth`,e.bandwidth);for(let e=re;;e=Math.min(e*1.5,ie)){let{status:i,body:a}=await this.ask(`report?${r}`,n);if(i!==202)return a;t(a),await this.pause(e),n.throwIfAborted()}}async traceAccess(e){let t=r(this.baseURI);try{let r=new URL(`data/plugins_listing`,n(this.baseURI));if(!(`profile`in await this.json(r)))return{state:`no_plugin`};if(!(await this.json(new URL(`runs`,t))).includes(e))return{state:`no_run`};let i=new URLSearchParams({run:e,tag:`trace_viewer@`});return{state:`ready`,hosts:(await this.json(new URL(`hosts?${i}`,t))).map(({hostname:e})=>e)}}catch{return{state:`no_plugin`}}}async json(e){let t=await this.fetch(e.href);if(!t.ok)throw Error(`${t.status}`);return t.json()}async ask(e,t){let n;try{n=await this.fetch(new URL(e,this.baseURI).href,t?{signal:t}:{})}catch(e){throw t?.aborted?e:new p(`TensorBoard does not answer. Is it still running?`,`unreachable`)}let r=await n.json().catch(()=>null);if(n.ok&&r!==null)return{status:n.status,body:r};let{error:i,kind:a}=r??{};throw new p(typeof i==`string`?i:`TensorBoard answered with status ${n.status}.`,ae.includes(String(a))?a:`internal`)}};window.JSCompiler_renameProperty=function(e,t){return e};var se=/(url\()([^)]*)(\))/g,ce=/(^\/[^\/])|(^#)|(^[\w-\d]*:)/,le,m;function ue(e,t){if(e&&ce.test(e)||e===`//`)return e;if(le===void 0){le=!1;try{let e=new URL(`b`,`http://a`);e.pathname=`c%20d`,le=e.href===`http://a/c%20d`}catch{}}if(t||=document.baseURI||window.location.href,le)try{return new URL(e,t).href}catch{return e}return m||(m=document.implementation.createHTMLDocument(`temp`),m.base=m.createElement(`base`),m.head.appendChild(m.base),m.anchor=m.createElement(`a`),m.body.appendChild(m.anchor)),m.base.href=t,m.anchor.href=e,m.anchor.href||e}function de(e,t){return e.replace(se,function(e,n,r,i){return n+`'`+ue(r.replace(/["']/g,``),t)+`'`+i})}function fe(e){return e.substring(0,e.lastIndexOf(`/`)+1)}var pe=!window.ShadyDOM||!window.ShadyDOM.inUse;!window.ShadyCSS||window.ShadyCSS.nativeCss,window.customElements.polyfillWrapFlushCallback;var me=pe&&`adoptedStyleSheets`in Document.prototype&&`replaceSync`in CSSStyleSheet.prototype&&(()=>{try{let e=new CSSStyleSheet;e.replaceSync(``);let t=document.createElement(`div`);return t.attachShadow({mode:`open`}),t.shadowRoot.adoptedStyleSheets=[e],t.shadowRoot.adoptedStyleSheets[0]===e}catch{return!1}})(),he=window.Polymer&&window.Polymer.rootPath||fe(document.baseURI||window.location.href),ge=window.Polymer&&window.Polymer.sanitizeDOMValue||void 0;window.Polymer&&window.Polymer.setPassiveTouchGestures;var h=window.Polymer&&window.Polymer.strictTemplatePolicy||!1,_e=window.Polymer&&window.Polymer.allowTemplateFromDomModule||!1,ve=window.Polymer&&window.Polymer.legacyOptimizations||!1,ye=window.Polymer&&window.Polymer.legacyWarnings||!1,be=window.Polymer&&window.Polymer.syncInitialRender||!1,xe=window.Polymer&&window.Polymer.legacyUndefined||!1,Se=window.Polymer&&window.Polymer.orderedComputed||!1,Ce=window.Polymer&&window.Polymer.removeNestedTemplates||!1,we=window.Polymer&&window.Polymer.fastDomIf||!1,Te=window.Polymer&&window.Polymer.suppressTemplateNotifications||!1;window.Polymer&&window.Polymer.legacyNoObservedAttributes;var Ee=window.Polymer&&window.Polymer.useAdoptedStyleSheetsWithBuiltCSS||!1,De=0;function Oe(){}Oe.prototype.__mixinApplications,Oe.prototype.__mixinSet;var g=function(e){let t=e.__mixinApplications;t||(t=new WeakMap,e.__mixinApplications=t);let n=De++;function r(r){let i=r.__mixinSet;if(i&&i[n])return r;let a=t,o=a.get(r);if(!o){o=e(r),a.set(r,o);let t=Object.create(o.__mixinSet||i||null);t[n]=!0,o.__mixinSet=t}return o}return r},ke={},Ae={};function je(e,t){ke[e]=Ae[e.toLowerCase()]=t}function Me(e){return ke[e]||Ae[e.toLowerCase()]}function Ne(e){e.querySelector(`style`)&&console.warn(`dom-module %s has style outside template`,e.id)}var _=class extends HTMLElement{static get observedAttributes(){return[`id`]}static import(e,t){if(e){let n=Me(e);return n&&t?n.querySelector(t):n}return null}attributeChangedCallback(e,t,n,r){t!==n&&this.register()}get assetpath(){if(!this.__assetpath){let e=window.HTMLImports&&HTMLImports.importForElement?HTMLImports.importForElement(this)||document:this.ownerDocument,t=ue(this.getAttribute(`assetpath`)||``,e.baseURI);this.__assetpath=fe(t)}return this.__assetpath}register(e){if(e||=this.id,e){if(h&&Me(e)!==void 0)throw je(e,null),Error(`strictTemplatePolicy: dom-module ${e} re-registered`);this.id=e,je(e,this),Ne(this)}}};_.prototype.modules=ke,customElements.define(`dom-module`,_);var Pe=`link[rel=import][type~=css]`,Fe=`include`,Ie=`shady-unscoped`;function Le(e){return _.import(e)}function Re(e){let t=de((e.body?e.body:e).textContent,e.baseURI),n=document.createElement(`style`);return n.textContent=t,n}function ze(e){let t=e.trim().split(/\s+/),n=[];for(let e=0;e<t.length;e++)n.push(...Be(t[e]));return n}function Be(e){let t=Le(e);if(!t)return console.warn(`Could not find style data in module named`,e),[];if(t._styles===void 0){let e=[];e.push(...Ue(t));let n=t.querySelector(`template`);n&&e.push(...Ve(n,t.assetpath)),t._styles=e}return t._styles}function Ve(e,t){if(!e._styles){let n=[],r=e.content.querySelectorAll(`style`);for(let e=0;e<r.length;e++){let i=r[e],a=i.getAttribute(Fe);a&&n.push(...ze(a).filter(function(e,t,n){return n.indexOf(e)===t})),t&&(i.textContent=de(i.textContent,t)),n.push(i)}e._styles=n}return e._styles}function He(e){let t=Le(e);return t?Ue(t):[]}function Ue(e){let t=[],n=e.querySelectorAll(Pe);for(let e=0;e<n.length;e++){let r=n[e];if(r.import){let e=r.import,n=r.hasAttribute(Ie);if(n&&!e._unscopedStyle){let t=Re(e);t.setAttribute(Ie,``),e._unscopedStyle=t}else e._style||=Re(e);t.push(n?e._unscopedStyle:e._style)}}return t}var v=window.ShadyDOM&&window.ShadyDOM.noPatch&&window.ShadyDOM.wrap?window.ShadyDOM.wrap:window.ShadyDOM?e=>ShadyDOM.patch(e):e=>e;function We(e){return e.indexOf(`.`)>=0}function y(e){let t=e.indexOf(`.`);return t===-1?e:e.slice(0,t)}function Ge(e,t){return e.indexOf(t+`.`)===0}function b(e,t){return t.indexOf(e+`.`)===0}function x(e,t,n){return t+n.slice(e.length)}function Ke(e,t){return e===t||Ge(e,t)||b(e,t)}function S(e){if(Array.isArray(e)){let t=[];for(let n=0;n<e.length;n++){let r=e[n].toString().split(`.`);for(let e=0;e<r.length;e++)t.push(r[e])}return t.join(`.`)}return e}function qe(e){return Array.isArray(e)?S(e).split(`.`):e.toString().split(`.`)}function C(e,t,n){let r=e,i=qe(t);for(let e=0;e<i.length;e++){if(!r)return;let t=i[e];r=r[t]}return n&&(n.path=i.join(`.`)),r}function Je(e,t,n){let r=e,i=qe(t),a=i[i.length-1];if(i.length>1){for(let e=0;e<i.length-1;e++){let t=i[e];if(r=r[t],!r)return}r[a]=n}else r[t]=n;return i.join(`.`)}var Ye={},Xe=/-[a-z]/g,Ze=/([A-Z])/g;function Qe(e){return Ye[e]||(Ye[e]=e.indexOf(`-`)<0?e:e.replace(Xe,e=>e[1].toUpperCase()))}function $e(e){return Ye[e]||(Ye[e]=e.replace(Ze,`-$1`).toLowerCase())}var et=0,tt=0,w=[],nt=0,rt=!1,it=document.createTextNode(``);new window.MutationObserver(at).observe(it,{characterData:!0});function at(){rt=!1;let e=w.length;for(let t=0;t<e;t++){let e=w[t];if(e)try{e()}catch(e){setTimeout(()=>{throw e})}}w.splice(0,e),tt+=e}for(var ot={after(e){return{run(t){return window.setTimeout(t,e)},cancel(e){window.clearTimeout(e)}}},run(e,t){return window.setTimeout(e,t)},cancel(e){window.clearTimeout(e)}},st={run(e){return rt||(rt=!0,it.textContent=nt++),w.push(e),et++},cancel(e){let t=e-tt;if(t>=0){if(!w[t])throw Error(`invalid async handle: `+e);w[t]=null}}},ct=st,lt=g(e=>{class t extends e{static createProperties(e){let t=this.prototype;for(let n in e)n in t||t._createPropertyAccessor(n)}static attributeNameForProperty(e){return e.toLowerCase()}static typeForProperty(e){}_createPropertyAccessor(e,t){this._addPropertyToAttributeMap(e),this.hasOwnProperty(JSCompiler_renameProperty(`__dataHasAccessor`,this))||(this.__dataHasAccessor=Object.assign({},this.__dataHasAccessor)),this.__dataHasAccessor[e]||(this.__dataHasAccessor[e]=!0,this._definePropertyAccessor(e,t))}_addPropertyToAttributeMap(e){this.hasOwnProperty(JSCompiler_renameProperty(`__dataAttributes`,this))||(this.__dataAttributes=Object.assign({},this.__dataAttributes));let t=this.__dataAttributes[e];return t||(t=this.constructor.attributeNameForProperty(e),this.__dataAttributes[t]=e),t}_definePropertyAccessor(e,t){Object.defineProperty(this,e,{get(){return this.__data[e]},set:t?function(){}:function(t){this._setPendingProperty(e,t,!0)&&this._invalidateProperties()}})}constructor(){super(),this.__dataEnabled=!1,this.__dataReady=!1,this.__dataInvalid=!1,this.__data={},this.__dataPending=null,this.__dataOld=null,this.__dataInstanceProps=null,this.__dataCounter=0,this.__serializing=!1,this._initializeProperties()}ready(){this.__dataReady=!0,this._flushProperties()}_initializeProperties(){for(let e in this.__dataHasAccessor)this.hasOwnProperty(e)&&(this.__dataInstanceProps=this.__dataInstanceProps||{},this.__dataInstanceProps[e]=this[e],delete this[e])}_initializeInstanceProperties(e){Object.assign(this,e)}_setProperty(e,t){this._setPendingProperty(e,t)&&this._invalidateProperties()}_getProperty(e){return this.__data[e]}_setPendingProperty(e,t,n){let r=this.__data[e],i=this._shouldPropertyChange(e,t,r);return i&&(this.__dataPending||(this.__dataPending={},this.__dataOld={}),this.__dataOld&&!(e in this.__dataOld)&&(this.__dataOld[e]=r),this.__data[e]=t,this.__dataPending[e]=t),i}_isPropertyPending(e){return!!(this.__dataPending&&this.__dataPending.hasOwnProperty(e))}_invalidateProperties(){!this.__dataInvalid&&this.__dataReady&&(this.__dataInvalid=!0,ct.run(()=>{this.__dataInvalid&&(this.__dataInvalid=!1,this._flushProperties())}))}_enableProperties(){this.__dataEnabled||(this.__dataEnabled=!0,this.__dataInstanceProps&&=(this._initializeInstanceProperties(this.__dataInstanceProps),null),this.ready())}_flushProperties(){this.__dataCounter++;let e=this.__data,t=this.__dataPending,n=this.__dataOld;this._shouldPropertiesChange(e,t,n)&&(this.__dataPending=null,this.__dataOld=null,this._propertiesChanged(e,t,n)),this.__dataCounter--}_shouldPropertiesChange(e,t,n){return!!t}_propertiesChanged(e,t,n){}_shouldPropertyChange(e,t,n){return n!==t&&(n===n||t===t)}attributeChangedCallback(e,t,n,r){t!==n&&this._attributeToProperty(e,n),super.attributeChangedCallback&&super.attributeChangedCallback(e,t,n,r)}_attributeToProperty(e,t,n){if(!this.__serializing){let r=this.__dataAttributes,i=r&&r[e]||e;this[i]=this._deserializeValue(t,n||this.constructor.typeForProperty(i))}}_propertyToAttribute(e,t,n){this.__serializing=!0,n=arguments.length<3?this[e]:n,this._valueToNodeAttribute(this,n,t||this.constructor.attributeNameForProperty(e)),this.__serializing=!1}_valueToNodeAttribute(e,t,n){let r=this._serializeValue(t);(n===`class`||n===`name`||n===`slot`)&&(e=v(e)),r===void 0?e.removeAttribute(n):e.setAttribute(n,r===``&&window.trustedTypes?window.trustedTypes.emptyScript:r)}_serializeValue(e){switch(typeof e){case`boolean`:return e?``:void 0;default:return e?.toString()}}_deserializeValue(e,t){switch(t){case Boolean:return e!==null;case Number:return Number(e);default:return e}}}return t}),ut={},dt=HTMLElement.prototype;dt;){let e=Object.getOwnPropertyNames(dt);for(let t=0;t<e.length;t++)ut[e[t]]=!0;dt=Object.getPrototypeOf(dt)}var ft=window.trustedTypes?e=>trustedTypes.isHTML(e)||trustedTypes.isScript(e)||trustedTypes.isScriptURL(e):()=>!1;function pt(e,t){if(!ut[t]){let n=e[t];n!==void 0&&(e.__data?e._setPendingProperty(t,n):(e.__dataProto?e.hasOwnProperty(JSCompiler_renameProperty(`__dataProto`,e))||(e.__dataProto=Object.create(e.__dataProto)):e.__dataProto={},e.__dataProto[t]=n))}}var mt=g(e=>{let t=lt(e);class n extends t{static createPropertiesForAttributes(){let e=this.observedAttributes;for(let t=0;t<e.length;t++)this.prototype._createPropertyAccessor(Qe(e[t]))}static attributeNameForProperty(e){return $e(e)}_initializeProperties(){this.__dataProto&&=(this._initializeProtoProperties(this.__dataProto),null),super._initializeProperties()}_initializeProtoProperties(e){for(let t in e)this._setProperty(t,e[t])}_ensureAttribute(e,t){let n=this;n.hasAttribute(e)||this._valueToNodeAttribute(n,t,e)}_serializeValue(e){switch(typeof e){case`object`:if(e instanceof Date)return e.toString();if(e){if(ft(e))return e;try{return JSON.stringify(e)}catch{return``}}default:return super._serializeValue(e)}}_deserializeValue(e,t){let n;switch(t){case Object:try{n=JSON.parse(e)}catch{n=e}break;case Array:try{n=JSON.parse(e)}catch{n=null,console.warn(`Polymer::Attributes: couldn't decode Array as JSON: ${e}`)}break;case Date:n=isNaN(e)?String(e):Number(e),n=new Date(n);break;default:n=super._deserializeValue(e,t)}return n}_definePropertyAccessor(e,t){pt(this,e),super._definePropertyAccessor(e,t)}_hasAccessor(e){return this.__dataHasAccessor&&this.__dataHasAccessor[e]}_isPropertyPending(e){return!!(this.__dataPending&&e in this.__dataPending)}}return n}),ht={"dom-if":!0,"dom-repeat":!0},gt=!1,_t=!1;function vt(){if(!gt){gt=!0;let e=document.createElement(`textarea`);e.placeholder=`a`,_t=e.placeholder===e.textContent}return _t}function yt(e){vt()&&e.localName===`textarea`&&e.placeholder&&e.placeholder===e.textContent&&(e.textContent=null)}var bt=(()=>{let e=window.trustedTypes&&window.trustedTypes.createPolicy(`polymer-template-event-attribute-policy`,{createScript:e=>e});return(t,n,r)=>{let i=n.getAttribute(r);e&&r.startsWith(`on-`)?t.setAttribute(r,e.createScript(i,r)):t.setAttribute(r,i)}})();function xt(e){let t=e.getAttribute(`is`);if(t&&ht[t]){let n=e;for(n.removeAttribute(`is`),e=n.ownerDocument.createElement(t),n.parentNode.replaceChild(e,n),e.appendChild(n);n.attributes.length;){let{name:t}=n.attributes[0];bt(e,n,t),n.removeAttribute(t)}}return e}function St(e,t){let n=t.parentInfo&&St(e,t.parentInfo);if(n){for(let e=n.firstChild,r=0;e;e=e.nextSibling)if(t.parentIndex===r++)return e}else return e}function Ct(e,t,n,r){r.id&&(t[r.id]=n)}function wt(e,t,n){if(n.events&&n.events.length)for(let r=0,i=n.events,a;r<i.length&&(a=i[r]);r++)e._addMethodEventListenerToNode(t,a.name,a.value,e)}function Tt(e,t,n,r){n.templateInfo&&(t._templateInfo=n.templateInfo,t._parentTemplateInfo=r)}function Et(e,t,n){return e=e._methodHost||e,function(t){e[n]?e[n](t,t.detail):console.warn("listener method `"+n+"` not defined")}}var Dt=g(e=>{class t extends e{static _parseTemplate(e,t){if(!e._templateInfo){let n=e._templateInfo={};n.nodeInfoList=[],n.nestedTemplate=!!t,n.stripWhiteSpace=t&&t.stripWhiteSpace||e.hasAttribute&&e.hasAttribute(`strip-whitespace`),this._parseTemplateContent(e,n,{parent:null})}return e._templateInfo}static _parseTemplateContent(e,t,n){return this._parseTemplateNode(e.content,t,n)}static _parseTemplateNode(e,t,n){let r=!1,i=e;return i.localName==`template`&&!i.hasAttribute(`preserve-content`)?r=this._parseTemplateNestedTemplate(i,t,n)||r:i.localName===`slot`&&(t.hasInsertionPoint=!0),yt(i),i.firstChild&&this._parseTemplateChildNodes(i,t,n),i.hasAttributes&&i.hasAttributes()&&(r=this._parseTemplateNodeAttributes(i,t,n)||r),r||n.noted}static _parseTemplateChildNodes(e,t,n){if(e.localName!==`script`&&e.localName!==`style`)for(let r=e.firstChild,i=0,a;r;r=a){if(r.localName==`template`&&(r=xt(r)),a=r.nextSibling,r.nodeType===Node.TEXT_NODE){let n=a;for(;n&&n.nodeType===Node.TEXT_NODE;)r.textContent+=n.textContent,a=n.nextSibling,e.removeChild(n),n=a;if(t.stripWhiteSpace&&!r.textContent.trim()){e.removeChild(r);continue}}let o={parentIndex:i,parentInfo:n};this._parseTemplateNode(r,t,o)&&(o.infoIndex=t.nodeInfoList.push(o)-1),r.parentNode&&i++}}static _parseTemplateNestedTemplate(e,t,n){let r=e,i=this._parseTemplate(r,t);return(i.content=r.content.ownerDocument.createDocumentFragment()).appendChild(r.content),n.templateInfo=i,!0}static _parseTemplateNodeAttributes(e,t,n){let r=!1,i=Array.from(e.attributes);for(let a=i.length-1,o;o=i[a];a--)r=this._parseTemplateNodeAttribute(e,t,n,o.name,o.value)||r;return r}static _parseTemplateNodeAttribute(e,t,n,r,i){return r.slice(0,3)===`on-`?(e.removeAttribute(r),n.events=n.events||[],n.events.push({name:r.slice(3),value:i}),!0):r===`id`&&(n.id=i,!0)}static _contentForTemplate(e){let t=e._templateInfo;return t&&t.content||e.content}_stampTemplate(e,t){e&&!e.content&&window.HTMLTemplateElement&&HTMLTemplateElement.decorate&&HTMLTemplateElement.decorate(e),t||=this.constructor._parseTemplate(e);let n=t.nodeInfoList,r=t.content||e.content,i=document.importNode(r,!0);i.__noInsertionPoint=!t.hasInsertionPoint;let a=i.nodeList=Array(n.length);i.$={};for(let e=0,r=n.length,o;e<r&&(o=n[e]);e++){let n=a[e]=St(i,o);Ct(this,i.$,n,o),Tt(this,n,o,t),wt(this,n,o)}return i=i,i}_addMethodEventListenerToNode(e,t,n,r){r||=e;let i=Et(r,t,n);return this._addEventListenerToNode(e,t,i),i}_addEventListenerToNode(e,t,n){e.addEventListener(t,n)}_removeEventListenerFromNode(e,t,n){e.removeEventListener(t,n)}}return t}),T=0,E=[],D={COMPUTE:`__computeEffects`,REFLECT:`__reflectEffects`,NOTIFY:`__notifyEffects`,PROPAGATE:`__propagateEffects`,OBSERVE:`__observeEffects`,READ_ONLY:`__readOnly`},Ot=`__computeInfo`,kt=/[A-Z]/;function At(e,t,n){let r=e[t];if(!r)r=e[t]={};else if(!e.hasOwnProperty(t)&&(r=e[t]=Object.create(e[t]),n))for(let e in r){let t=r[e],n=r[e]=Array(t.length);for(let e=0;e<t.length;e++)n[e]=t[e]}return r}function jt(e,t,n,r,i,a){if(t){let o=!1,s=T++;for(let c in n){let l=t[i?y(c):c];if(l)for(let t=0,u=l.length,d;t<u&&(d=l[t]);t++)d.info&&d.info.lastRun===s||i&&!Nt(c,d.trigger)||(d.info&&(d.info.lastRun=s),d.fn(e,c,n,r,d.info,i,a),o=!0)}return o}return!1}function Mt(e,t,n,r,i,a,o,s){let c=!1,l=t[o?y(r):r];if(l)for(let t=0,u=l.length,d;t<u&&(d=l[t]);t++)d.info&&d.info.lastRun===n||o&&!Nt(r,d.trigger)||(d.info&&(d.info.lastRun=n),d.fn(e,r,i,a,d.info,o,s),c=!0);return c}function Nt(e,t){if(t){let n=t.name;return n==e||!!(t.structured&&Ge(n,e))||!!(t.wildcard&&b(n,e))}return!0}function Pt(e,t,n,r,i){let a=typeof i.method==`string`?e[i.method]:i.method,o=i.property;a?a.call(e,e.__data[o],r[o]):i.dynamicFn||console.warn("observer method `"+i.method+"` not defined")}function Ft(e,t,n,r,i){let a=e[D.NOTIFY],o,s=T++;for(let c in t)t[c]&&(a&&Mt(e,a,s,c,n,r,i)||i&&It(e,c,n))&&(o=!0);let c;o&&(c=e.__dataHost)&&c._invalidateProperties&&c._invalidateProperties()}function It(e,t,n){let r=y(t);return r!==t&&(Lt(e,$e(r)+`-changed`,n[t],t),!0)}function Lt(e,t,n,r){let i={value:n,queueProperty:!0};r&&(i.path=r),v(e).dispatchEvent(new CustomEvent(t,{detail:i}))}function Rt(e,t,n,r,i,a){let o=(a?y(t):t)==t?null:t,s=o?C(e,o):e.__data[t];o&&s===void 0&&(s=n[t]),Lt(e,i.eventName,s,o)}function zt(e,t,n,r,i){let a,o=e.detail,s=o&&o.path;s?(r=x(n,r,s),a=o&&o.value):a=e.currentTarget[n],a=i?!a:a,t[D.READ_ONLY]&&t[D.READ_ONLY][r]||!t._setPendingPropertyOrPath(r,a,!0,!!s)||o&&o.queueProperty||t._invalidateProperties()}function Bt(e,t,n,r,i){let a=e.__data[t];ge&&(a=ge(a,i.attrName,`attribute`,e)),e._propertyToAttribute(t,i.attrName,a)}function Vt(e,t,n,r){let i=e[D.COMPUTE];if(i){if(Se){T++;let a=Wt(e),o=[];for(let e in t)Ut(e,i,o,a,r);let s;for(;s=o.shift();)Kt(e,``,t,n,s)&&Ut(s.methodInfo,i,o,a,r);Object.assign(n,e.__dataOld),Object.assign(t,e.__dataPending),e.__dataPending=null}else{let a=t;for(;jt(e,i,a,n,r);)Object.assign(n,e.__dataOld),Object.assign(t,e.__dataPending),a=e.__dataPending,e.__dataPending=null}}}var Ht=(e,t,n)=>{let r=0,i=t.length-1,a=-1;for(;r<=i;){let o=r+i>>1,s=n.get(t[o].methodInfo)-n.get(e.methodInfo);if(s<0)r=o+1;else if(s>0)i=o-1;else{a=o;break}}a<0&&(a=i+1),t.splice(a,0,e)},Ut=(e,t,n,r,i)=>{let a=t[i?y(e):e];if(a)for(let t=0;t<a.length;t++){let o=a[t];o.info.lastRun!==T&&(!i||Nt(e,o.trigger))&&(o.info.lastRun=T,Ht(o.info,n,r))}};function Wt(e){let t=e.constructor.__orderedComputedDeps;if(!t){t=new Map;let n=e[D.COMPUTE],{counts:r,ready:i,total:a}=Gt(e),o;for(;o=i.shift();){t.set(o,t.size);let e=n[o];e&&e.forEach(e=>{let t=e.info.methodInfo;--a,--r[t]===0&&i.push(t)})}a!==0&&console.warn(`Computed graph for ${e.localName} incomplete; circular?`),e.constructor.__orderedComputedDeps=t}return t}function Gt(e){let t=e[Ot],n={},r=e[D.COMPUTE],i=[],a=0;for(let e in t){let r=t[e];a+=n[e]=r.args.filter(e=>!e.literal).length+ +!!r.dynamicFn}for(let e in r)t[e]||i.push(e);return{counts:n,ready:i,total:a}}function Kt(e,t,n,r,i){let a=an(e,t,n,r,i);if(a===E)return!1;let o=i.methodInfo;return e.__dataHasAccessor&&e.__dataHasAccessor[o]?e._setPendingProperty(o,a,!0):(e[o]=a,!1)}function qt(e,t,n){let r=e.__dataLinkedPaths;if(r){let i;for(let a in r){let o=r[a];b(a,t)?(i=x(a,o,t),e._setPendingPropertyOrPath(i,n,!0,!0)):b(o,t)&&(i=x(o,a,t),e._setPendingPropertyOrPath(i,n,!0,!0))}}}function Jt(e,t,n,r,i,a,o){n.bindings=n.bindings||[];let s={kind:r,target:i,parts:a,literal:o,isCompound:a.length!==1};if(n.bindings.push(s),$t(s)){let{event:e,negate:t}=s.parts[0];s.listenerEvent=e||$e(i)+`-changed`,s.listenerNegate=t}let c=t.nodeInfoList.length;for(let n=0;n<s.parts.length;n++){let r=s.parts[n];r.compoundIndex=n,Yt(e,t,s,r,c)}}function Yt(e,t,n,r,i){if(!r.literal){if(n.kind===`attribute`&&n.target[0]===`-`)console.warn(`Cannot set attribute `+n.target+` because "-" is not a valid attribute starting character`);else{let a=r.dependencies,o={index:i,binding:n,part:r,evaluator:e};for(let n=0;n<a.length;n++){let r=a[n];typeof r==`string`&&(r=dn(r),r.wildcard=!0),e._addTemplatePropertyEffect(t,r.rootProperty,{fn:Xt,info:o,trigger:r})}}}}function Xt(e,t,n,r,i,a,o){let s=o[i.index],c=i.binding,l=i.part;if(a&&l.source&&t.length>l.source.length&&c.kind==`property`&&!c.isCompound&&s.__isPropertyEffectsClient&&s.__dataHasAccessor&&s.__dataHasAccessor[c.target]){let r=n[t];t=x(l.source,c.target,t),s._setPendingPropertyOrPath(t,r,!1,!0)&&e._enqueueClient(s)}else{let o=i.evaluator._evaluateBinding(e,l,t,n,r,a);o!==E&&Zt(e,s,c,l,o)}}function Zt(e,t,n,r,i){if(i=Qt(t,i,n,r),ge&&(i=ge(i,n.target,n.kind,t)),n.kind==`attribute`)e._valueToNodeAttribute(t,i,n.target);else{let r=n.target;t.__isPropertyEffectsClient&&t.__dataHasAccessor&&t.__dataHasAccessor[r]?t[D.READ_ONLY]&&t[D.READ_ONLY][r]||!t._setPendingProperty(r,i)||e._enqueueClient(t):e._setUnmanagedPropertyToNode(t,r,i)}}function Qt(e,t,n,r){if(n.isCompound){let i=e.__dataCompoundStorage[n.target];i[r.compoundIndex]=t,t=i.join(``)}return n.kind!==`attribute`&&(n.target===`textContent`||n.target===`value`&&(e.localName===`input`||e.localName===`textarea`))&&(t??=``),t}function $t(e){return!!e.target&&e.kind!=`attribute`&&e.kind!=`text`&&!e.isCompound&&e.parts[0].mode===`{`}function en(e,t){let{nodeList:n,nodeInfoList:r}=t;if(r.length)for(let t=0;t<r.length;t++){let i=r[t],a=n[t],o=i.bindings;if(o)for(let t=0;t<o.length;t++){let n=o[t];tn(a,n),nn(a,e,n)}a.__dataHost=e}}function tn(e,t){if(t.isCompound){let n=e.__dataCompoundStorage||(e.__dataCompoundStorage={}),r=t.parts,i=Array(r.length);for(let e=0;e<r.length;e++)i[e]=r[e].literal;let a=t.target;n[a]=i,t.literal&&t.kind==`property`&&(a===`className`&&(e=v(e)),e[a]=t.literal)}}function nn(e,t,n){if(n.listenerEvent){let r=n.parts[0];e.addEventListener(n.listenerEvent,function(e){zt(e,t,n.target,r.source,r.negate)})}}function rn(e,t,n,r,i,a){a=t.static||a&&(typeof a!=`object`||a[t.methodName]);let o={methodName:t.methodName,args:t.args,methodInfo:i,dynamicFn:a};for(let i=0,a;i<t.args.length&&(a=t.args[i]);i++)a.literal||e._addPropertyEffect(a.rootProperty,n,{fn:r,info:o,trigger:a});return a&&e._addPropertyEffect(t.methodName,n,{fn:r,info:o}),o}function an(e,t,n,r,i){let a=e._methodHost||e,o=a[i.methodName];if(o){let r=e._marshalArgs(i.args,t,n);return r===E?E:o.apply(a,r)}i.dynamicFn||console.warn("method `"+i.methodName+"` not defined")}var on=[],sn=RegExp(`(\\[\\[|{{)\\s*(?:(!)\\s*)?((?:[a-zA-Z_$][\\w.:$\\-*]*)\\s*(?:\\(\\s*(?:(?:(?:((?:[a-zA-Z_$][\\w.:$\\-*]*)|(?:[-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?)|(?:(?:'(?:[^'\\\\]|\\\\.)*')|(?:"(?:[^"\\\\]|\\\\.)*")))\\s*)(?:,\\s*(?:((?:[a-zA-Z_$][\\w.:$\\-*]*)|(?:[-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?)|(?:(?:'(?:[^'\\\\]|\\\\.)*')|(?:"(?:[^"\\\\]|\\\\.)*")))\\s*))*)?)\\)\\s*)?)(?:]]|}})`,`g`);function cn(e){let t=``;for(let n=0;n<e.length;n++){let r=e[n].literal;t+=r||``}return t}function ln(e){let t=e.match(/([^\s]+?)\(([\s\S]*)\)/);if(t){let e={methodName:t[1],static:!0,args:on};return t[2].trim()?un(t[2].replace(/\\,/g,`&comma;`).split(`,`),e):e}return null}function un(e,t){return t.args=e.map(function(e){let n=dn(e);return n.literal||(t.static=!1),n},this),t}function dn(e){let t=e.trim().replace(/&comma;/g,`,`).replace(/\\(.)/g,`$1`),n={name:t,value:``,literal:!1},r=t[0];switch(r===`-`&&(r=t[1]),r>=`0`&&r<=`9`&&(r=`#`),r){case`'`:case`"`:n.value=t.slice(1,-1),n.literal=!0;break;case`#`:n.value=Number(t),n.literal=!0}return n.literal||(n.rootProperty=y(t),n.structured=We(t),n.structured&&(n.wildcard=t.slice(-2)==`.*`,n.wildcard&&(n.name=t.slice(0,-2)))),n}function fn(e,t,n){let r=C(e,n);return r===void 0&&(r=t[n]),r}function pn(e,t,n,r){let i={indexSplices:r};xe&&!e._overrideLegacyUndefined&&(t.splices=i),e.notifyPath(n+`.splices`,i),e.notifyPath(n+`.length`,t.length),xe&&!e._overrideLegacyUndefined&&(i.indexSplices=[])}function mn(e,t,n,r,i,a){pn(e,t,n,[{index:r,addedCount:i,removed:a,object:t,type:`splice`}])}function hn(e){return e[0].toUpperCase()+e.substring(1)}var gn=g(e=>{let t=Dt(mt(e));class n extends t{constructor(){super(),this.__isPropertyEffectsClient=!0,this.__dataClientsReady,this.__dataPendingClients,this.__dataToNotify,this.__dataLinkedPaths,this.__dataHasPaths,this.__dataCompoundStorage,this.__dataHost,this.__dataTemp,this.__dataClientsInitialized,this.__data,this.__dataPending,this.__dataOld,this.__computeEffects,this.__computeInfo,this.__reflectEffects,this.__notifyEffects,this.__propagateEffects,this.__observeEffects,this.__readOnly,this.__templateInfo,this._overrideLegacyUndefined}get PROPERTY_EFFECT_TYPES(){return D}_initializeProperties(){super._initializeProperties(),this._registerHost(),this.__dataClientsReady=!1,this.__dataPendingClients=null,this.__dataToNotify=null,this.__dataLinkedPaths=null,this.__dataHasPaths=!1,this.__dataCompoundStorage=this.__dataCompoundStorage||null,this.__dataHost=this.__dataHost||null,this.__dataTemp={},this.__dataClientsInitialized=!1}_registerHost(){if(_n.length){let e=_n[_n.length-1];e._enqueueClient(this),this.__dataHost=e}}_initializeProtoProperties(e){this.__data=Object.create(e),this.__dataPending=Object.create(e),this.__dataOld={}}_initializeInstanceProperties(e){let t=this[D.READ_ONLY];for(let n in e)t&&t[n]||(this.__dataPending=this.__dataPending||{},this.__dataOld=this.__dataOld||{},this.__data[n]=this.__dataPending[n]=e[n])}_addPropertyEffect(e,t,n){this._createPropertyAccessor(e,t==D.READ_ONLY);let r=At(this,t,!0)[e];r||=this[t][e]=[],r.push(n)}_removePropertyEffect(e,t,n){let r=At(this,t,!0)[e],i=r.indexOf(n);i>=0&&r.splice(i,1)}_hasPropertyEffect(e,t){let n=this[t];return!!(n&&n[e])}_hasReadOnlyEffect(e){return this._hasPropertyEffect(e,D.READ_ONLY)}_hasNotifyEffect(e){return this._hasPropertyEffect(e,D.NOTIFY)}_hasReflectEffect(e){return this._hasPropertyEffect(e,D.REFLECT)}_hasComputedEffect(e){return this._hasPropertyEffect(e,D.COMPUTE)}_setPendingPropertyOrPath(e,t,n,r){if(r||y(Array.isArray(e)?e[0]:e)!==e){if(!r){let n=C(this,e);if(e=Je(this,e,t),!e||!super._shouldPropertyChange(e,t,n))return!1}if(this.__dataHasPaths=!0,this._setPendingProperty(e,t,n))return qt(this,e,t),!0}else if(this.__dataHasAccessor&&this.__dataHasAccessor[e])return this._setPendingProperty(e,t,n);else this[e]=t;return!1}_setUnmanagedPropertyToNode(e,t,n){(n!==e[t]||typeof n==`object`)&&(t===`className`&&(e=v(e)),e[t]=n)}_setPendingProperty(e,t,n){let r=this.__dataHasPaths&&We(e),i=r?this.__dataTemp:this.__data;return this._shouldPropertyChange(e,t,i[e])?(this.__dataPending||(this.__dataPending={},this.__dataOld={}),e in this.__dataOld||(this.__dataOld[e]=this.__data[e]),r?this.__dataTemp[e]=t:this.__data[e]=t,this.__dataPending[e]=t,(r||this[D.NOTIFY]&&this[D.NOTIFY][e])&&(this.__dataToNotify=this.__dataToNotify||{},this.__dataToNotify[e]=n),!0):!1}_setProperty(e,t){this._setPendingProperty(e,t,!0)&&this._invalidateProperties()}_invalidateProperties(){this.__dataReady&&this._flushProperties()}_enqueueClient(e){this.__dataPendingClients=this.__dataPendingClients||[],e!==this&&this.__dataPendingClients.push(e)}_flushClients(){this.__dataClientsReady?this.__enableOrFlushClients():(this.__dataClientsReady=!0,this._readyClients(),this.__dataReady=!0)}__enableOrFlushClients(){let e=this.__dataPendingClients;if(e){this.__dataPendingClients=null;for(let t=0;t<e.length;t++){let n=e[t];n.__dataEnabled?n.__dataPending&&n._flushProperties():n._enableProperties()}}}_readyClients(){this.__enableOrFlushClients()}setProperties(e,t){for(let n in e)!t&&this[D.READ_ONLY]&&this[D.READ_ONLY][n]||this._setPendingPropertyOrPath(n,e[n],!0);this._invalidateProperties()}ready(){this._flushProperties(),this.__dataClientsReady||this._flushClients(),this.__dataPending&&this._flushProperties()}_propertiesChanged(e,t,n){let r=this.__dataHasPaths;this.__dataHasPaths=!1;let i;Vt(this,t,n,r),i=this.__dataToNotify,this.__dataToNotify=null,this._propagatePropertyChanges(t,n,r),this._flushClients(),jt(this,this[D.REFLECT],t,n,r),jt(this,this[D.OBSERVE],t,n,r),i&&Ft(this,i,t,n,r),this.__dataCounter==1&&(this.__dataTemp={})}_propagatePropertyChanges(e,t,n){this[D.PROPAGATE]&&jt(this,this[D.PROPAGATE],e,t,n),this.__templateInfo&&this._runEffectsForTemplate(this.__templateInfo,e,t,n)}_runEffectsForTemplate(e,t,n,r){let i=(t,r)=>{jt(this,e.propertyEffects,t,n,r,e.nodeList);for(let i=e.firstChild;i;i=i.nextSibling)this._runEffectsForTemplate(i,t,n,r)};e.runEffects?e.runEffects(i,t,r):i(t,r)}linkPaths(e,t){e=S(e),t=S(t),this.__dataLinkedPaths=this.__dataLinkedPaths||{},this.__dataLinkedPaths[e]=t}unlinkPaths(e){e=S(e),this.__dataLinkedPaths&&delete this.__dataLinkedPaths[e]}notifySplices(e,t){let n={path:``},r=C(this,e,n);pn(this,r,n.path,t)}get(e,t){return C(t||this,e)}set(e,t,n){n?Je(n,e,t):this[D.READ_ONLY]&&this[D.READ_ONLY][e]||!this._setPendingPropertyOrPath(e,t,!0)||this._invalidateProperties()}push(e,...t){let n={path:``},r=C(this,e,n),i=r.length,a=r.push(...t);return t.length&&mn(this,r,n.path,i,t.length,[]),a}pop(e){let t={path:``},n=C(this,e,t),r=!!n.length,i=n.pop();return r&&mn(this,n,t.path,n.length,0,[i]),i}splice(e,t,n,...r){let i={path:``},a=C(this,e,i);t<0?t=a.length-Math.floor(-t):t&&=Math.floor(t);let o;return o=arguments.length===2?a.splice(t):a.splice(t,n,...r),(r.length||o.length)&&mn(this,a,i.path,t,r.length,o),o}shift(e){let t={path:``},n=C(this,e,t),r=!!n.length,i=n.shift();return r&&mn(this,n,t.path,0,0,[i]),i}unshift(e,...t){let n={path:``},r=C(this,e,n),i=r.unshift(...t);return t.length&&mn(this,r,n.path,0,t.length,[]),i}notifyPath(e,t){let n;if(arguments.length==1){let r={path:``};t=C(this,e,r),n=r.path}else n=Array.isArray(e)?S(e):e;this._setPendingPropertyOrPath(n,t,!0,!0)&&this._invalidateProperties()}_createReadOnlyProperty(e,t){this._addPropertyEffect(e,D.READ_ONLY),t&&(this[`_set`+hn(e)]=function(t){this._setProperty(e,t)})}_createPropertyObserver(e,t,n){let r={property:e,method:t,dynamicFn:!!n};this._addPropertyEffect(e,D.OBSERVE,{fn:Pt,info:r,trigger:{name:e}}),n&&this._addPropertyEffect(t,D.OBSERVE,{fn:Pt,info:r,trigger:{name:t}})}_createMethodObserver(e,t){let n=ln(e);if(!n)throw Error(`Malformed observer expression '`+e+`'`);rn(this,n,D.OBSERVE,an,null,t)}_createNotifyingProperty(e){this._addPropertyEffect(e,D.NOTIFY,{fn:Rt,info:{eventName:$e(e)+`-changed`,property:e}})}_createReflectedProperty(e){let t=this.constructor.attributeNameForProperty(e);t[0]===`-`?console.warn(`Property `+e+` cannot be reflected to attribute `+t+` because "-" is not a valid starting attribute name. Use a lowercase first letter for the property instead.`):this._addPropertyEffect(e,D.REFLECT,{fn:Bt,info:{attrName:t}})}_createComputedProperty(e,t,n){let r=ln(t);if(!r)throw Error(`Malformed computed expression '`+t+`'`);let i=rn(this,r,D.COMPUTE,Kt,e,n);At(this,Ot)[e]=i}_marshalArgs(e,t,n){let r=this.__data,i=[];for(let a=0,o=e.length;a<o;a++){let{name:o,structured:s,wildcard:c,value:l,literal:u}=e[a];if(!u){if(c){let e=b(o,t),i=fn(r,n,e?t:o);l={path:e?t:o,value:i,base:e?C(r,o):i}}else l=s?fn(r,n,o):r[o]}if(xe&&!this._overrideLegacyUndefined&&l===void 0&&e.length>1)return E;i[a]=l}return i}static addPropertyEffect(e,t,n){this.prototype._addPropertyEffect(e,t,n)}static createPropertyObserver(e,t,n){this.prototype._createPropertyObserver(e,t,n)}static createMethodObserver(e,t){this.prototype._createMethodObserver(e,t)}static createNotifyingProperty(e){this.prototype._createNotifyingProperty(e)}static createReadOnlyProperty(e,t){this.prototype._createReadOnlyProperty(e,t)}static createReflectedProperty(e){this.prototype._createReflectedProperty(e)}static createComputedProperty(e,t,n){this.prototype._createComputedProperty(e,t,n)}static bindTemplate(e){return this.prototype._bindTemplate(e)}_bindTemplate(e,t){let n=this.constructor._parseTemplate(e),r=this.__preBoundTemplateInfo==n;if(!r)for(let e in n.propertyEffects)this._createPropertyAccessor(e);if(t){if(n=Object.create(n),n.wasPreBound=r,!this.__templateInfo)this.__templateInfo=n;else{let t=e._parentTemplateInfo||this.__templateInfo,r=t.lastChild;n.parent=t,t.lastChild=n,n.previousSibling=r,r?r.nextSibling=n:t.firstChild=n}}else this.__preBoundTemplateInfo=n;return n}static _addTemplatePropertyEffect(e,t,n){let r=e.hostProps=e.hostProps||{};r[t]=!0;let i=e.propertyEffects=e.propertyEffects||{};(i[t]=i[t]||[]).push(n)}_stampTemplate(e,t){t||=this._bindTemplate(e,!0),_n.push(this);let n=super._stampTemplate(e,t);if(_n.pop(),t.nodeList=n.nodeList,!t.wasPreBound){let e=t.childNodes=[];for(let t=n.firstChild;t;t=t.nextSibling)e.push(t)}return n.templateInfo=t,en(this,t),this.__dataClientsReady&&(this._runEffectsForTemplate(t,this.__data,null,!1),this._flushClients()),n}_removeBoundDom(e){let t=e.templateInfo,{previousSibling:n,nextSibling:r,parent:i}=t;n?n.nextSibling=r:i&&(i.firstChild=r),r?r.previousSibling=n:i&&(i.lastChild=n),t.nextSibling=t.previousSibling=null;let a=t.childNodes;for(let e=0;e<a.length;e++){let t=a[e];v(v(t).parentNode).removeChild(t)}}static _parseTemplateNode(e,n,r){let i=t._parseTemplateNode.call(this,e,n,r);if(e.nodeType===Node.TEXT_NODE){let t=this._parseBindings(e.textContent,n);t&&(e.textContent=cn(t)||` `,Jt(this,n,r,`text`,`textContent`,t),i=!0)}return i}static _parseTemplateNodeAttribute(e,n,r,i,a){let o=this._parseBindings(a,n);if(o){let t=i,a=`property`;kt.test(i)?a=`attribute`:i[i.length-1]==`$`&&(i=i.slice(0,-1),a=`attribute`);let s=cn(o);return s&&a==`attribute`&&(i==`class`&&e.hasAttribute(`class`)&&(s+=` `+e.getAttribute(i)),e.setAttribute(i,s)),a==`attribute`&&t==`disable-upgrade$`&&e.setAttribute(i,``),e.localName===`input`&&t===`value`&&e.setAttribute(t,``),e.removeAttribute(t),a===`property`&&(i=Qe(i)),Jt(this,n,r,a,i,o,s),!0}return t._parseTemplateNodeAttribute.call(this,e,n,r,i,a)}static _parseTemplateNestedTemplate(e,n,r){let i=t._parseTemplateNestedTemplate.call(this,e,n,r),a=e.parentNode,o=r.templateInfo,s=a.localName===`dom-if`,c=a.localName===`dom-repeat`;Ce&&(s||c)&&(a.removeChild(e),r=r.parentInfo,r.templateInfo=o,r.noted=!0,i=!1);let l=o.hostProps;if(we&&s)l&&(n.hostProps=Object.assign(n.hostProps||{},l),Ce||(r.parentInfo.noted=!0));else for(let e in l){let t=[{mode:`{`,source:e,dependencies:[e],hostProp:!0}];Jt(this,n,r,`property`,`_host_`+e,t)}return i}static _parseBindings(e,t){let n=[],r=0,i;for(;(i=sn.exec(e))!==null;){i.index>r&&n.push({literal:e.slice(r,i.index)});let a=i[1][0],o=!!i[2],s=i[3].trim(),c=!1,l=``,u=-1;a==`{`&&(u=s.indexOf(`::`))>0&&(l=s.substring(u+2),s=s.substring(0,u),c=!0);let d=ln(s),f=[];if(d){let{args:e,methodName:n}=d;for(let t=0;t<e.length;t++){let n=e[t];n.literal||f.push(n)}let r=t.dynamicFns;(r&&r[n]||d.static)&&(f.push(n),d.dynamicFn=!0)}else f.push(s);n.push({source:s,mode:a,negate:o,customEvent:c,signature:d,dependencies:f,event:l}),r=sn.lastIndex}if(r&&r<e.length){let t=e.substring(r);t&&n.push({literal:t})}return n.length?n:null}static _evaluateBinding(e,t,n,r,i,a){let o;return o=t.signature?an(e,n,r,i,t.signature):n==t.source?a&&We(n)?C(e,n):e.__data[n]:C(e,t.source),t.negate&&(o=!o),o}}return n}),_n=[],vn=0;function yn(){vn++}var bn=[];function xn(e){bn.push(e)}function Sn(e){let t={};for(let n in e){let r=e[n];t[n]=typeof r==`function`?{type:r}:r}return t}var Cn=g(e=>{let t=lt(e);function n(e){let t=Object.getPrototypeOf(e);return t.prototype instanceof i?t:null}function r(e){if(!e.hasOwnProperty(JSCompiler_renameProperty(`__ownProperties`,e))){let t=null;if(e.hasOwnProperty(JSCompiler_renameProperty(`properties`,e))){let n=e.properties;n&&(t=Sn(n))}e.__ownProperties=t}return e.__ownProperties}class i extends t{static get observedAttributes(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__observedAttributes`,this))){xn(this.prototype);let e=this._properties;this.__observedAttributes=e?Object.keys(e).map(e=>this.prototype._addPropertyToAttributeMap(e)):[]}return this.__observedAttributes}static finalize(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__finalized`,this))){let e=n(this);e&&e.finalize(),this.__finalized=!0,this._finalizeClass()}}static _finalizeClass(){let e=r(this);e&&this.createProperties(e)}static get _properties(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__properties`,this))){let e=n(this);this.__properties=Object.assign({},e&&e._properties,r(this))}return this.__properties}static typeForProperty(e){let t=this._properties[e];return t&&t.type}_initializeProperties(){yn(),this.constructor.finalize(),super._initializeProperties()}connectedCallback(){super.connectedCallback&&super.connectedCallback(),this._enableProperties()}disconnectedCallback(){super.disconnectedCallback&&super.disconnectedCallback()}}return i}),wn=`3.5.2`,Tn=window.ShadyCSS&&window.ShadyCSS.cssBuild,En=g(e=>{let t=Cn(gn(e));function n(e){if(!e.hasOwnProperty(JSCompiler_renameProperty(`__propertyDefaults`,e))){e.__propertyDefaults=null;let t=e._properties;for(let n in t){let r=t[n];`value`in r&&(e.__propertyDefaults=e.__propertyDefaults||{},e.__propertyDefaults[n]=r)}}return e.__propertyDefaults}function r(e){return e.hasOwnProperty(JSCompiler_renameProperty(`__ownObservers`,e))||(e.__ownObservers=e.hasOwnProperty(JSCompiler_renameProperty(`observers`,e))?e.observers:null),e.__ownObservers}function i(e,t,n,r){n.computed&&(n.readOnly=!0),n.computed&&(e._hasReadOnlyEffect(t)?console.warn(`Cannot redefine computed property '${t}'.`):e._createComputedProperty(t,n.computed,r)),n.readOnly&&!e._hasReadOnlyEffect(t)?e._createReadOnlyProperty(t,!n.computed):n.readOnly===!1&&e._hasReadOnlyEffect(t)&&console.warn(`Cannot make readOnly property '${t}' non-readOnly.`),n.reflectToAttribute&&!e._hasReflectEffect(t)?e._createReflectedProperty(t):n.reflectToAttribute===!1&&e._hasReflectEffect(t)&&console.warn(`Cannot make reflected property '${t}' non-reflected.`),n.notify&&!e._hasNotifyEffect(t)?e._createNotifyingProperty(t):n.notify===!1&&e._hasNotifyEffect(t)&&console.warn(`Cannot make notify property '${t}' non-notify.`),n.observer&&e._createPropertyObserver(t,n.observer,r[n.observer]),e._addPropertyToAttributeMap(t)}function a(e,t,n,r){if(!Tn){let i=t.content.querySelectorAll(`style`),a=Ve(t),o=He(n),s=t.content.firstElementChild;for(let n=0;n<o.length;n++){let i=o[n];i.textContent=e._processStyleText(i.textContent,r),t.content.insertBefore(i,s)}let c=0;for(let t=0;t<a.length;t++){let n=a[t],o=i[c];o===n?c++:(n=n.cloneNode(!0),o.parentNode.insertBefore(n,o)),n.textContent=e._processStyleText(n.textContent,r)}}if(window.ShadyCSS&&window.ShadyCSS.prepareTemplate(t,n),Ee&&Tn&&me){let n=t.content.querySelectorAll(`style`);if(n){let t=``;Array.from(n).forEach(e=>{t+=e.textContent,e.parentNode.removeChild(e)}),e._styleSheet=new CSSStyleSheet,e._styleSheet.replaceSync(t)}}}function o(e){let t=null;if(e&&(!h||_e)&&(t=_.import(e,`template`),h&&!t))throw Error(`strictTemplatePolicy: expecting dom-module or null template for ${e}`);return t}class s extends t{static get polymerElementVersion(){return wn}static _finalizeClass(){t._finalizeClass.call(this);let e=r(this);e&&this.createObservers(e,this._properties),this._prepareTemplate()}static _prepareTemplate(){let e=this.template;e&&(typeof e==`string`?(console.error(`template getter must return HTMLTemplateElement`),e=null):ve||(e=e.cloneNode(!0))),this.prototype._template=e}static createProperties(e){for(let t in e)i(this.prototype,t,e[t],e)}static createObservers(e,t){let n=this.prototype;for(let r=0;r<e.length;r++)n._createMethodObserver(e[r],t)}static get template(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`_template`,this))){let e=this.prototype.hasOwnProperty(JSCompiler_renameProperty(`_template`,this.prototype))?this.prototype._template:void 0;typeof e==`function`&&(e=e()),this._template=e===void 0?this.hasOwnProperty(JSCompiler_renameProperty(`is`,this))&&o(this.is)||Object.getPrototypeOf(this.prototype).constructor.template:e}return this._template}static set template(e){this._template=e}static get importPath(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`_importPath`,this))){let e=this.importMeta;if(e)this._importPath=fe(e.url);else{let e=_.import(this.is);this._importPath=e&&e.assetpath||Object.getPrototypeOf(this.prototype).constructor.importPath}}return this._importPath}constructor(){super(),this._template,this._importPath,this.rootPath,this.importPath,this.root,this.$}_initializeProperties(){this.constructor.finalize(),this.constructor._finalizeTemplate(this.localName),super._initializeProperties(),this.rootPath=he,this.importPath=this.constructor.importPath;let e=n(this.constructor);if(e)for(let t in e){let n=e[t];if(this._canApplyPropertyDefault(t)){let e=typeof n.value==`function`?n.value.call(this):n.value;this._hasAccessor(t)?this._setPendingProperty(t,e,!0):this[t]=e}}}_canApplyPropertyDefault(e){return!this.hasOwnProperty(e)}static _processStyleText(e,t){return de(e,t)}static _finalizeTemplate(e){let t=this.prototype._template;if(t&&!t.__polymerFinalized){t.__polymerFinalized=!0;let n=this.importPath,r=n?ue(n):``;a(this,t,e,r),this.prototype._bindTemplate(t)}}connectedCallback(){window.ShadyCSS&&this._template&&window.ShadyCSS.styleElement(this),super.connectedCallback()}ready(){this._template&&(this.root=this._stampTemplate(this._template),this.$=this.root.$),super.ready()}_readyClients(){this._template&&(this.root=this._attachDom(this.root)),super._readyClients()}_attachDom(e){let t=v(this);if(t.attachShadow)return e?(t.shadowRoot||(t.attachShadow({mode:`open`,shadyUpgradeFragment:e}),t.shadowRoot.appendChild(e),this.constructor._styleSheet&&(t.shadowRoot.adoptedStyleSheets=[this.constructor._styleSheet])),be&&window.ShadyDOM&&window.ShadyDOM.flushInitial(t.shadowRoot),t.shadowRoot):null;throw Error("ShadowDOM not available. PolymerElement can create dom as children instead of in ShadowDOM by setting `this.root = this;` before `ready`.")}updateStyles(e){window.ShadyCSS&&window.ShadyCSS.styleSubtree(this,e)}resolveUrl(e,t){return!t&&this.importPath&&(t=ue(this.importPath)),ue(e,t)}static _parseTemplateContent(e,n,r){return n.dynamicFns=n.dynamicFns||this._properties,t._parseTemplateContent.call(this,e,n,r)}static _addTemplatePropertyEffect(e,n,r){return!ye||n in this._properties||r.info.part.signature&&r.info.part.signature.static||r.info.part.hostProp||e.nestedTemplate||console.warn(`Property '${n}' used in template but not declared in 'properties'; attribute will not be observed.`),t._addTemplatePropertyEffect.call(this,e,n,r)}}return s}),Dn=window.trustedTypes&&trustedTypes.createPolicy(`polymer-html-literal`,{createHTML:e=>e}),On=class{constructor(e,t){jn(e,t);let n=t.reduce((t,n,r)=>t+kn(n)+e[r+1],e[0]);this.value=n.toString()}toString(){return this.value}};function kn(e){if(e instanceof On)return e.value;throw Error(`non-literal value passed to Polymer's htmlLiteral function: ${e}`)}function An(e){if(e instanceof HTMLTemplateElement)return e.innerHTML;if(e instanceof On)return kn(e);throw Error(`non-template value passed to Polymer's html function: ${e}`)}var O=function(e,...t){jn(e,t);let n=document.createElement(`template`),r=t.reduce((t,n,r)=>t+An(n)+e[r+1],e[0]);return Dn&&(r=Dn.createHTML(r)),n.innerHTML=r,n},jn=(e,t)=>{if(!Array.isArray(e)||!Array.isArray(e.raw)||t.length!==e.length-1)throw TypeError(`Invalid call to the html template tag`)},k=En(HTMLElement),Mn=class e{constructor(){this._asyncModule=null,this._callback=null,this._timer=null}setConfig(e,t){this._asyncModule=e,this._callback=t,this._timer=this._asyncModule.run(()=>{this._timer=null,Nn.delete(this),this._callback()})}cancel(){this.isActive()&&(this._cancelAsync(),Nn.delete(this))}_cancelAsync(){this.isActive()&&(this._asyncModule.cancel(this._timer),this._timer=null)}flush(){this.isActive()&&(this.cancel(),this._callback())}isActive(){return this._timer!=null}static debounce(t,n,r){return t instanceof e?t._cancelAsync():t=new e,t.setConfig(n,r),t}},Nn=new Set,Pn=function(e){Nn.add(e)},Fn=function(){let e=!!Nn.size;return Nn.forEach(e=>{try{e.flush()}catch(e){setTimeout(()=>{throw e})}}),e},In=function(){let e,t;do e=window.ShadyDOM&&ShadyDOM.flush(),window.ShadyCSS&&window.ShadyCSS.ScopingShim&&window.ShadyCSS.ScopingShim.flush(),t=Fn();while(e||t)},Ln=!1;function Rn(){if(ve&&!pe){if(!Ln){Ln=!0;let e=document.createElement(`style`);e.textContent=`dom-bind,dom-if,dom-repeat{display:none;}`,document.head.appendChild(e)}return!0}return!1}function zn(e,t,n,r,i){let a;i&&(a=typeof n==`object`&&!!n,a&&(r=e.__dataTemp[t]));let o=r!==n&&(r===r||n===n);return a&&o&&(e.__dataTemp[t]=n),o}var Bn=g(e=>{class t extends e{_shouldPropertyChange(e,t,n){return zn(this,e,t,n,!0)}}return t}),Vn=g(e=>{class t extends e{static get properties(){return{mutableData:Boolean}}_shouldPropertyChange(e,t,n){return zn(this,e,t,n,this.mutableData)}}return t});Bn._mutablePropertyChange=zn;var Hn=null;function Un(){return Hn}Un.prototype=Object.create(HTMLTemplateElement.prototype,{constructor:{value:Un,writable:!0}});var Wn=gn(Un),Gn=Bn(Wn);function Kn(e,t){Hn=e,Object.setPrototypeOf(e,t.prototype),new t,Hn=null}var qn=gn(class{});function Jn(e,t){for(let n=0;n<t.length;n++){let r=t[n];if(!!e!=!!r.__hideTemplateChildren__){if(r.nodeType===Node.TEXT_NODE)e?(r.__polymerTextContent__=r.textContent,r.textContent=``):r.textContent=r.__polymerTextContent__;else if(r.localName===`slot`){if(e)r.__polymerReplaced__=document.createComment(`hidden-slot`),v(v(r).parentNode).replaceChild(r.__polymerReplaced__,r);else{let e=r.__polymerReplaced__;e&&v(v(e).parentNode).replaceChild(r,e)}}else r.style&&(e?(r.__polymerDisplay__=r.style.display,r.style.display=`none`):r.style.display=r.__polymerDisplay__)}r.__hideTemplateChildren__=e,r._showHideChildren&&r._showHideChildren(e)}}var A=class extends qn{constructor(e){super(),this._configureProperties(e),this.root=this._stampTemplate(this.__dataHost);let t=[];this.children=t;for(let e=this.root.firstChild;e;e=e.nextSibling)t.push(e),e.__templatizeInstance=this;this.__templatizeOwner&&this.__templatizeOwner.__hideTemplateChildren__&&this._showHideChildren(!0);let n=this.__templatizeOptions;(e&&n.instanceProps||!n.instanceProps)&&this._enableProperties()}_configureProperties(e){if(this.__templatizeOptions.forwardHostProp)for(let e in this.__hostProps)this._setPendingProperty(e,this.__dataHost[`_host_`+e]);for(let t in e)this._setPendingProperty(t,e[t])}forwardHostProp(e,t){this._setPendingPropertyOrPath(e,t,!1,!0)&&this.__dataHost._enqueueClient(this)}_addEventListenerToNode(e,t,n){if(this._methodHost&&this.__templatizeOptions.parentModel)this._methodHost._addEventListenerToNode(e,t,e=>{e.model=this,n(e)});else{let r=this.__dataHost.__dataHost;r&&r._addEventListenerToNode(e,t,n)}}_showHideChildren(e){Jn(e,this.children)}_setUnmanagedPropertyToNode(e,t,n){e.__hideTemplateChildren__&&e.nodeType==Node.TEXT_NODE&&t==`textContent`?e.__polymerTextContent__=n:super._setUnmanagedPropertyToNode(e,t,n)}get parentModel(){let e=this.__parentModel;if(!e){let t;e=this;do e=e.__dataHost.__dataHost;while((t=e.__templatizeOptions)&&!t.parentModel);this.__parentModel=e}return e}dispatchEvent(e){return!0}};A.prototype.__dataHost,A.prototype.__templatizeOptions,A.prototype._methodHost,A.prototype.__templatizeOwner,A.prototype.__hostProps;var Yn=Bn(A);function Xn(e){let t=e.__dataHost;return t&&t._methodHost||t}function Zn(e,t,n){let r=n.mutableData?Yn:A;rr.mixin&&(r=rr.mixin(r));let i=class extends r{};return i.prototype.__templatizeOptions=n,i.prototype._bindTemplate(e),er(i,e,t,n),i}function Qn(e,t,n,r){let i=n.forwardHostProp;if(i&&t.hasHostProps){let a=e.localName==`template`,o=t.templatizeTemplateClass;if(!o){if(a){let e=n.mutableData?Gn:Wn;class r extends e{}o=t.templatizeTemplateClass=r}else{let n=e.constructor;class r extends n{}o=t.templatizeTemplateClass=r}let s=t.hostProps;for(let e in s)o.prototype._addPropertyEffect(`_host_`+e,o.prototype.PROPERTY_EFFECT_TYPES.PROPAGATE,{fn:$n(e,i)}),o.prototype._createNotifyingProperty(`_host_`+e);ye&&r&&ir(t,n,r)}if(e.__dataProto&&Object.assign(e.__data,e.__dataProto),a)Kn(e,o),e.__dataTemp={},e.__dataPending=null,e.__dataOld=null,e._enableProperties();else{Object.setPrototypeOf(e,o.prototype);let n=t.hostProps;for(let t in n)if(t=`_host_`+t,t in e){let n=e[t];delete e[t],e.__data[t]=n}}}}function $n(e,t){return function(e,n,r){t.call(e.__templatizeOwner,n.substring(6),r[n])}}function er(e,t,n,r){let i=n.hostProps||{};for(let t in r.instanceProps){delete i[t];let n=r.notifyInstanceProp;n&&e.prototype._addPropertyEffect(t,e.prototype.PROPERTY_EFFECT_TYPES.NOTIFY,{fn:tr(t,n)})}if(r.forwardHostProp&&t.__dataHost)for(let t in i)n.hasHostProps||=!0,e.prototype._addPropertyEffect(t,e.prototype.PROPERTY_EFFECT_TYPES.NOTIFY,{fn:nr()})}function tr(e,t){return function(e,n,r){t.call(e.__templatizeOwner,e,n,r[n])}}function nr(){return function(e,t,n){e.__dataHost._setPendingPropertyOrPath(`_host_`+t,n[t],!0,!0)}}function rr(e,t,n){if(h&&!Xn(e))throw Error(`strictTemplatePolicy: template owner not trusted`);if(n||={},e.__templatizeOwner)throw Error(`A <template> can only be templatized once`);e.__templatizeOwner=t;let r=(t?t.constructor:A)._parseTemplate(e),i=r.templatizeInstanceClass;i||(i=Zn(e,r,n),r.templatizeInstanceClass=i);let a=Xn(e);Qn(e,r,n,a);let o=class extends i{};return o.prototype._methodHost=a,o.prototype.__dataHost=e,o.prototype.__templatizeOwner=t,o.prototype.__hostProps=r.hostProps,o=o,o}function ir(e,t,n){let r=n.constructor._properties,{propertyEffects:i}=e,{instanceProps:a}=t;for(let e in i)if(!r[e]&&!(a&&a[e])){let t=i[e];for(let n=0;n<t.length;n++){let{part:r}=t[n].info;if(!(r.signature&&r.signature.static)){console.warn(`Property '${e}' used in template but not declared in 'properties'; attribute will not be observed.`);break}}}}function ar(e,t){let n;for(;t;)if(n=t.__dataHost?t:t.__templatizeInstance){if(n.__dataHost!=e)t=n.__dataHost;else return n}else t=v(t).parentNode;return null}var or=class extends k{static get is(){return`dom-if`}static get template(){return null}static get properties(){return{if:{type:Boolean,observer:`__debounceRender`},restamp:{type:Boolean,observer:`__debounceRender`},notifyDomChange:{type:Boolean}}}constructor(){super(),this.__renderDebouncer=null,this._lastIf=!1,this.__hideTemplateChildren__=!1,this.__template,this._templateInfo}__debounceRender(){this.__renderDebouncer=Mn.debounce(this.__renderDebouncer,st,()=>this.__render()),Pn(this.__renderDebouncer)}disconnectedCallback(){super.disconnectedCallback();let e=v(this).parentNode;(!e||e.nodeType==Node.DOCUMENT_FRAGMENT_NODE&&!v(e).host)&&this.__teardownInstance()}connectedCallback(){super.connectedCallback(),Rn()||(this.style.display=`none`),this.if&&this.__debounceRender()}__ensureTemplate(){if(!this.__template){let e=this,t=e._templateInfo?e:v(e).querySelector(`template`);if(!t){let e=new MutationObserver(()=>{if(v(this).querySelector(`template`))e.disconnect(),this.__render();else throw Error(`dom-if requires a <template> child`)});return e.observe(this,{childList:!0}),!1}this.__template=t}return!0}__ensureInstance(){let e=v(this).parentNode;if(this.__hasInstance()){let t=this.__getInstanceNodes();if(t&&t.length&&v(this).previousSibling!==t[t.length-1])for(let n=0,r;n<t.length&&(r=t[n]);n++)v(e).insertBefore(r,this)}else{if(!e||!this.__ensureTemplate())return!1;this.__createAndInsertInstance(e)}return!0}render(){In()}__render(){if(this.if){if(!this.__ensureInstance())return}else this.restamp&&this.__teardownInstance();this._showHideChildren(),(!Te||this.notifyDomChange)&&this.if!=this._lastIf&&(this.dispatchEvent(new CustomEvent(`dom-change`,{bubbles:!0,composed:!0})),this._lastIf=this.if)}__hasInstance(){}__getInstanceNodes(){}__createAndInsertInstance(e){}__teardownInstance(){}_showHideChildren(){}},sr=we?class extends or{constructor(){super(),this.__instance=null,this.__syncInfo=null}__hasInstance(){return!!this.__instance}__getInstanceNodes(){return this.__instance.templateInfo.childNodes}__createAndInsertInstance(e){let t=this.__dataHost||this;if(h&&!this.__dataHost)throw Error(`strictTemplatePolicy: template owner not trusted`);let n=t._bindTemplate(this.__template,!0);n.runEffects=(e,t,n)=>{let r=this.__syncInfo;if(this.if)r&&(this.__syncInfo=null,this._showHideChildren(),t=Object.assign(r.changedProps,t)),e(t,n);else if(this.__instance){if(r||=this.__syncInfo={runEffects:e,changedProps:{}},n)for(let e in t){let t=y(e);r.changedProps[t]=this.__dataHost[t]}else Object.assign(r.changedProps,t)}},this.__instance=t._stampTemplate(this.__template,n),v(e).insertBefore(this.__instance,this)}__syncHostProperties(){let e=this.__syncInfo;e&&(this.__syncInfo=null,e.runEffects(e.changedProps,!1))}__teardownInstance(){let e=this.__dataHost||this;this.__instance&&(e._removeBoundDom(this.__instance),this.__instance=null,this.__syncInfo=null)}_showHideChildren(){let e=this.__hideTemplateChildren__||!this.if;this.__instance&&!!this.__instance.__hidden!==e&&(this.__instance.__hidden=e,Jn(e,this.__instance.templateInfo.childNodes)),e||this.__syncHostProperties()}}:class extends or{constructor(){super(),this.__ctor=null,this.__instance=null,this.__invalidProps=null}__hasInstance(){return!!this.__instance}__getInstanceNodes(){return this.__instance.children}__createAndInsertInstance(e){this.__ctor||=rr(this.__template,this,{mutableData:!0,forwardHostProp:function(e,t){this.__instance&&(this.if?this.__instance.forwardHostProp(e,t):(this.__invalidProps=this.__invalidProps||Object.create(null),this.__invalidProps[y(e)]=!0))}}),this.__instance=new this.__ctor,v(e).insertBefore(this.__instance.root,this)}__teardownInstance(){if(this.__instance){let e=this.__instance.children;if(e&&e.length){let t=v(e[0]).parentNode;if(t){t=v(t);for(let n=0,r;n<e.length&&(r=e[n]);n++)t.removeChild(r)}}this.__invalidProps=null,this.__instance=null}}__syncHostProperties(){let e=this.__invalidProps;if(e){this.__invalidProps=null;for(let t in e)this.__instance._setPendingProperty(t,this.__dataHost[t]);this.__instance._flushProperties()}}_showHideChildren(){let e=this.__hideTemplateChildren__||!this.if;this.__instance&&!!this.__instance.__hidden!==e&&(this.__instance.__hidden=e,this.__instance._showHideChildren(e)),e||this.__syncHostProperties()}};customElements.define(sr.is,sr);var cr={parameters:null,bandwidth:null},lr=[`parameters`,`bandwidth`],ur={parameters:null,bandwidth:null},dr=`tfperf.typed.`,fr=()=>window.localStorage;function pr(e,t=fr){try{let n=JSON.parse(t().getItem(dr+e)??`{}`)??{};return{parameters:hr(n.parameters),bandwidth:hr(n.bandwidth)}}catch{return cr}}function mr(e,{parameters:t,bandwidth:n},r=fr){try{t===null&&n===null?r().removeItem(dr+e):r().setItem(dr+e,JSON.stringify({parameters:t,bandwidth:n}))}catch{}}function hr(e){return typeof e==`string`&&e!==``?e:null}var gr=`diagnostics`,_r={run:null,finding:null,...cr},vr=`p.${gr}.`;function yr(e){try{return decodeURIComponent(e)}catch{return e}}function br(e){let t=new Map;for(let n of e.replace(/^#/,``).split(`&`)){let e=n.indexOf(`=`);n.startsWith(vr)&&e>0&&t.set(n.slice(vr.length,e),yr(n.slice(e+1)))}return{run:t.get(`run`)||null,finding:t.get(`finding`)||null,parameters:t.get(`parameters`)||null,bandwidth:t.get(`bandwidth`)||null}}function xr(e){let t=e.replace(/^#/,``).split(`&`)[0]??``;return t===``||t===`diagnostics`||t.includes(`=`)}function Sr(e,t){let n=e.replace(/^#/,``).split(`&`).filter(e=>e!==``&&e!==`diagnostics`&&!e.startsWith(vr)),r=Object.entries(t).filter(([,e])=>e!==null).map(([e,t])=>`${vr}${e}=${encodeURIComponent(String(t))}`);return`#${[gr,...n,...r].join(`&`)}`}var Cr=`
:root {
  color-scheme: light;
  --ink: #202124; --ink-2: #5f6368; --line: #e3e6ea; --control-line: #8a9096; --ground: #f6f7f9;
  --panel: #fff; --page: #fff; --accent: #1967d2; --on-accent: #fff;
  --critical: #b3261e; --critical-ground: #fdecea;
  --warning: #8f4e00; --warning-ground: #fff4e0;
  --info: #1967d2; --info-ground: #e8f0fe;
  --good: #2f7d5b;
  --account-compute: #2f7d5b; --account-transfer: #7b61c9; --account-wait: #c3b4ef;
  --account-copy: #2e86c1; --account-input: #d9622b; --account-launch: #e0a100;
  --account-compile: #8d6e63; --account-host-op: #b8a23a; --account-sync: #4f9aa8;
  --account-between: #b5533c; --account-stagger: #e8a0bf; --account-unknown: #c8ccd2;
  --hatch: rgb(32 33 36 / 34%);
}
:root[data-theme='dark'] {
  color-scheme: dark;
  --ink: #e8eaed; --ink-2: #a8adb3; --line: #3c4043; --control-line: #80868b; --ground: #26282b;
  --panel: #292a2d; --page: #202124; --accent: #8ab4f8; --on-accent: #202124;
  --critical: #f28b82; --critical-ground: #3b2321;
  --warning: #fdd663; --warning-ground: #37301f;
  --info: #8ab4f8; --info-ground: #1f2b3d;
  --good: #81c995;
  --account-compute: #5fb58e; --account-transfer: #a78bfa; --account-wait: #5d4e8c;
  --account-copy: #64b5e8; --account-input: #ef8a57; --account-launch: #f2c94c;
  --account-compile: #a1887f; --account-host-op: #cdbb5a; --account-sync: #6fb7c4;
  --account-between: #e08a73; --account-stagger: #c96f97; --account-unknown: #5f6368;
  --hatch: rgb(32 33 36 / 55%);
}
html { background: var(--page); overflow-y: scroll; }
body { margin: 0; }
`,j=O`
  <style>
    :host { color: var(--ink); font: 14px/1.5 Roboto, system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; }
    :host, * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    h1, h2, h3, p, ul, ol, dl, dd, pre { margin: 0; }
    h2 { font-size: 16px; font-weight: 600; line-height: 1.4; }
    h2 small { color: var(--ink-2); font-size: 13px; font-weight: 400; margin-left: 8px; }
    .note { color: var(--ink-2); font-size: 13px; }
    .name { overflow-wrap: anywhere; }
    a { color: var(--accent); }
    button, select, input { font: inherit; color: inherit; }
    button { cursor: pointer; }
    .button {
      background: var(--panel); border: 1px solid var(--line); border-radius: 6px; color: var(--accent);
      display: inline-block; font-size: 13px; line-height: 20px; padding: 5px 12px; text-decoration: none;
    }
    .button:hover { background: var(--ground); }
    .button.accent { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
    .button.accent:hover { filter: brightness(1.08); }
    .bare { background: none; border: 0; padding: 0; text-align: left; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    code, pre { font: 12.5px/1.5 ui-monospace, 'Roboto Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
    table { border-collapse: collapse; font-size: 13px; width: 100%; }
    th { color: var(--ink-2); font-weight: 400; text-align: left; }
    th, td { border-bottom: 1px solid var(--line); padding: 5px 12px 5px 0; vertical-align: top; }
    th:last-child, td:last-child { padding-right: 0; }
    td.number, th.number { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
    summary { color: var(--ink-2); cursor: pointer; font-size: 13px; width: fit-content; }
    summary:hover { color: var(--ink); }
    .scroll { max-height: 70vh; overflow: auto; }
    .scroll td.name { min-width: 160px; }
    .tip { background: var(--ink); border-radius: 6px; color: var(--page); font-size: 12.5px; font-weight: 400; line-height: 18px; max-width: min(420px, 80vw); padding: 4px 10px; pointer-events: none; position: absolute; transform: translate(-50%, 6px); white-space: normal; width: max-content; z-index: 2; }
    .legend { display: flex; flex-wrap: wrap; font-size: 13px; gap: 4px 20px; list-style: none; margin-top: 12px; padding: 0; }
    .legend li { align-items: center; color: var(--ink-2); display: flex; gap: 7px; }
    .unseen { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }
  </style>
`,wr=Vn(k),Tr=class extends wr{static get is(){return`dom-repeat`}static get template(){return null}static get properties(){return{items:{type:Array},as:{type:String,value:`item`},indexAs:{type:String,value:`index`},itemsIndexAs:{type:String,value:`itemsIndex`},sort:{type:Function,observer:`__sortChanged`},filter:{type:Function,observer:`__filterChanged`},observe:{type:String,observer:`__observeChanged`},delay:Number,renderedItemCount:{type:Number,notify:!Te,readOnly:!0},initialCount:{type:Number},targetFramerate:{type:Number,value:20},_targetFrameTime:{type:Number,computed:`__computeFrameTime(targetFramerate)`},notifyDomChange:{type:Boolean},reuseChunkedInstances:{type:Boolean}}}static get observers(){return[`__itemsChanged(items.*)`]}constructor(){super(),this.__instances=[],this.__renderDebouncer=null,this.__itemsIdxToInstIdx={},this.__chunkCount=null,this.__renderStartTime=null,this.__itemsArrayChanged=!1,this.__shouldMeasureChunk=!1,this.__shouldContinueChunking=!1,this.__chunkingId=0,this.__sortFn=null,this.__filterFn=null,this.__observePaths=null,this.__ctor=null,this.__isDetached=!0,this.template=null,this._templateInfo}disconnectedCallback(){super.disconnectedCallback(),this.__isDetached=!0;for(let e=0;e<this.__instances.length;e++)this.__detachInstance(e);this.__chunkingId&&cancelAnimationFrame(this.__chunkingId)}connectedCallback(){if(super.connectedCallback(),Rn()||(this.style.display=`none`),this.__isDetached){this.__isDetached=!1;let e=v(v(this).parentNode);for(let t=0;t<this.__instances.length;t++)this.__attachInstance(t,e);this.__chunkingId&&this.__render()}}__ensureTemplatized(){if(!this.__ctor){let e=this,t=this.template=e._templateInfo?e:this.querySelector(`template`);if(!t){let e=new MutationObserver(()=>{if(this.querySelector(`template`))e.disconnect(),this.__render();else throw Error(`dom-repeat requires a <template> child`)});return e.observe(this,{childList:!0}),!1}let n={};n[this.as]=!0,n[this.indexAs]=!0,n[this.itemsIndexAs]=!0,this.__ctor=rr(t,this,{mutableData:this.mutableData,parentModel:!0,instanceProps:n,forwardHostProp:function(e,t){let n=this.__instances;for(let r=0,i;r<n.length&&(i=n[r]);r++)i.forwardHostProp(e,t)},notifyInstanceProp:function(e,t,n){if(Ke(this.as,t)){let r=e[this.itemsIndexAs];t==this.as&&(this.items[r]=n);let i=x(this.as,`${JSCompiler_renameProperty(`items`,this)}.${r}`,t);this.notifyPath(i,n)}}})}return!0}__getMethodHost(){return this.__dataHost._methodHost||this.__dataHost}__functionFromPropertyValue(e){if(typeof e==`string`){let t=e,n=this.__getMethodHost();return function(){return n[t].apply(n,arguments)}}return e}__sortChanged(e){this.__sortFn=this.__functionFromPropertyValue(e),this.items&&this.__debounceRender(this.__render)}__filterChanged(e){this.__filterFn=this.__functionFromPropertyValue(e),this.items&&this.__debounceRender(this.__render)}__computeFrameTime(e){return Math.ceil(1e3/e)}__observeChanged(){this.__observePaths=this.observe&&this.observe.replace(`.*`,`.`).split(` `)}__handleObservedPaths(e){if(this.__sortFn||this.__filterFn){if(!e)this.__debounceRender(this.__render,this.delay);else if(this.__observePaths){let t=this.__observePaths;for(let n=0;n<t.length;n++)e.indexOf(t[n])===0&&this.__debounceRender(this.__render,this.delay)}}}__itemsChanged(e){this.items&&!Array.isArray(this.items)&&console.warn("dom-repeat expected array for `items`, found",this.items),this.__handleItemPath(e.path,e.value)||(e.path===`items`&&(this.__itemsArrayChanged=!0),this.__debounceRender(this.__render))}__debounceRender(e,t=0){this.__renderDebouncer=Mn.debounce(this.__renderDebouncer,t>0?ot.after(t):st,e.bind(this)),Pn(this.__renderDebouncer)}render(){this.__debounceRender(this.__render),In()}__render(){if(!this.__ensureTemplatized())return;let e=this.items||[],t=this.__sortAndFilterItems(e),n=this.__calculateLimit(t.length);this.__updateInstances(e,n,t),this.initialCount&&(this.__shouldMeasureChunk||this.__shouldContinueChunking)&&(cancelAnimationFrame(this.__chunkingId),this.__chunkingId=requestAnimationFrame(()=>{this.__chunkingId=null,this.__continueChunking()})),this._setRenderedItemCount(this.__instances.length),(!Te||this.notifyDomChange)&&this.dispatchEvent(new CustomEvent(`dom-change`,{bubbles:!0,composed:!0}))}__sortAndFilterItems(e){let t=Array(e.length);for(let n=0;n<e.length;n++)t[n]=n;return this.__filterFn&&(t=t.filter((t,n,r)=>this.__filterFn(e[t],n,r))),this.__sortFn&&t.sort((t,n)=>this.__sortFn(e[t],e[n])),t}__calculateLimit(e){let t=e,n=this.__instances.length;if(this.initialCount){let r;!this.__chunkCount||this.__itemsArrayChanged&&!this.reuseChunkedInstances?(t=Math.min(e,this.initialCount),r=Math.max(t-n,0),this.__chunkCount=r||1):(r=Math.min(Math.max(e-n,0),this.__chunkCount),t=Math.min(n+r,e)),this.__shouldMeasureChunk=r===this.__chunkCount,this.__shouldContinueChunking=t<e,this.__renderStartTime=performance.now()}return this.__itemsArrayChanged=!1,t}__continueChunking(){if(this.__shouldMeasureChunk){let e=performance.now()-this.__renderStartTime,t=this._targetFrameTime/e;this.__chunkCount=Math.round(this.__chunkCount*t)||1}this.__shouldContinueChunking&&this.__debounceRender(this.__render)}__updateInstances(e,t,n){let r=this.__itemsIdxToInstIdx={},i=0;for(;i<t;i++){let t=this.__instances[i],a=n[i],o=e[a];r[a]=i,t?(t._setPendingProperty(this.as,o),t._setPendingProperty(this.indexAs,i),t._setPendingProperty(this.itemsIndexAs,a),t._flushProperties()):this.__insertInstance(o,i,a)}for(let e=this.__instances.length-1;e>=i;e--)this.__detachAndRemoveInstance(e)}__detachInstance(e){let t=this.__instances[e],n=v(t.root);for(let e=0;e<t.children.length;e++){let r=t.children[e];n.appendChild(r)}return t}__attachInstance(e,t){let n=this.__instances[e];t.insertBefore(n.root,this)}__detachAndRemoveInstance(e){this.__detachInstance(e),this.__instances.splice(e,1)}__stampInstance(e,t,n){let r={};return r[this.as]=e,r[this.indexAs]=t,r[this.itemsIndexAs]=n,new this.__ctor(r)}__insertInstance(e,t,n){let r=this.__stampInstance(e,t,n),i=this.__instances[t+1],a=i?i.children[0]:this;return v(v(this).parentNode).insertBefore(r.root,a),this.__instances[t]=r,r}_showHideChildren(e){for(let t=0;t<this.__instances.length;t++)this.__instances[t]._showHideChildren(e)}__handleItemPath(e,t){let n=e.slice(6),r=n.indexOf(`.`),i=r<0?n:n.substring(0,r);if(i==parseInt(i,10)){let e=r<0?``:n.substring(r+1);this.__handleObservedPaths(e);let a=this.__itemsIdxToInstIdx[i],o=this.__instances[a];if(o){let n=this.as+(e?`.`+e:``);o._setPendingPropertyOrPath(n,t,!1,!0),o._flushProperties()}return!0}}itemForElement(e){let t=this.modelForElement(e);return t&&t[this.as]}indexForElement(e){let t=this.modelForElement(e);return t&&t[this.indexAs]}modelForElement(e){return ar(this.template,e)}};customElements.define(Tr.is,Tr);var Er=new Map([[`idle.stagger`,`idle while other GPUs already run`,`stagger`,`falling`],[`compute`,`compute`,`compute`,`solid`],[`communication.transfer`,`AllReduce transfer`,`transfer`,`solid`],[`communication.wait`,`waiting inside AllReduce`,`wait`,`rising`],[`copy.h2d`,`copies to the GPU`,`copy`,`solid`],[`copy.d2h`,`copies to the host`,`copy`,`falling`],[`copy.d2d`,`copies between or inside GPUs`,`copy`,`dots`],[`idle.input`,`idle, waiting for input`,`input`,`rising`],[`idle.launch`,`idle, waiting for kernel launches`,`launch`,`dots`],[`idle.compile`,`idle, waiting for tracing or compilation`,`compile`,`cross`],[`idle.host_op`,`idle, an op runs on the CPU`,`host-op`,`bars`],[`idle.sync`,`idle, the host waits for the GPU`,`sync`,`falling`],[`idle.between_steps`,`idle between steps`,`between`,`cross`],[`idle.unknown`,`idle, cause not recorded`,`unknown`,`dots`]].map(([e,t,n,r])=>[e,{words:t,colour:`--account-${n}`,pattern:r}])),Dr=[...Er.keys()];function M(e){return Er.get(e)??{words:Or(e),colour:`--account-unknown`,pattern:`solid`}}function Or(e){return e.slice(e.indexOf(`.`)+1).replaceAll(`_`,` `)}function kr(e){let t=e=>(Dr.indexOf(e)+Dr.length+1)%(Dr.length+1);return e.filter(e=>e.ns>0).sort((e,n)=>t(e.id)-t(n.id))}var N=`\xA0`,Ar=[[`s`,1e9,1e9],[`ms`,1e6,1e5],[`µs`,1e3,1e3]],jr=[[`T`,0xe8d4a51000],[`G`,1e9],[`M`,1e6],[`k`,1e3]];function P(e){let t=Math.abs(e);return t===0?`0`:t>=999.5?Math.round(e).toLocaleString(`en-US`):t>=99.95?e.toFixed(0):t>=.95?e.toFixed(1):Number(e.toPrecision(2)).toString()}function Mr(e){let t=Number(e.toPrecision(2));return Math.abs(t)>=1&&Math.abs(t)<10?t.toFixed(1):String(t)}function Nr(e,t){if(e===0)return`0${N}ms`;for(let[n,r,i]of Ar)if(Math.abs(e)>=i*.9995)return`${t(e/r)}${N}${n}`;return`${Math.round(e)}${N}ns`}function F(e){return Nr(e,P)}function I(e){return`${e.toLocaleString(`en-US`,{minimumFractionDigits:1,maximumFractionDigits:1})}${N}ms`}function Pr(e,t){return`${I(e).slice(0,-3)}–${I(t)}`}function L(e){return e>0&&e<.005?`<1${N}%`:e<1-1e-9&&e>=.995?`>99${N}%`:`${Math.round(e*100)}${N}%`}function R(e){for(let[t,n]of jr)if(Math.abs(e)>=n*.9995)return`${P(e/n)}${N}${t===`k`?`kB`:`${t}B`}`;return`${Math.round(e)}${N}B`}function z(e){return Number.isInteger(e)?e.toLocaleString(`en-US`):P(e)}function Fr(e){for(let[t,n]of jr)if(e>=n*.9995)return`${P(e/n)}${N}${t===`G`?`billion`:t}`;return z(e)}function B(e,t){if(typeof e==`string`)return e;switch(t){case`ns`:return F(e);case`ratio`:return L(e);case`count`:return z(e);case`bytes`:return R(e);case`GB/s`:return`${P(e)}${N}GB/s`;case`per_step`:return`${z(e)} per step`;case`times`:return`${P(e)}${N}×`;case`text`:return String(e)}}function Ir(e){return e.threshold===null?``:`threshold ${B(e.threshold,e.unit)}`}function Lr(e){let t=Nr(e.ns,Mr);return e.bound?`up to ${t}`:`about ${t}`}function V(e,t,n=`${t}s`){return`${z(e)} ${e===1?t:n}`}function H(e){return/^GPU:\d+$/.test(e)?e.replace(`:`,` `):e}function Rr(e){return e.split(/(\d[\d.,]*[\s\u00a0\u202f]?(?:ns|µs|ms|s|%|GB\/s|GB)(?![\w]))/).map((e,t)=>({text:e,strong:t%2==1})).filter(e=>e.text!==``)}function zr(e){let t=new Map;for(let n of e)t.set(n||`GPU`,(t.get(n||`GPU`)??0)+1);return[...t].map(([e,t])=>`${t}${N}×${N}${e}`).join(`, `)}var U={"guide estimate":`What TensorFlow’s guide expects: parameters × 4 bytes / bandwidth.`,"ring bound":`The least time in which a ring of n GPUs can reduce so many bytes: each GPU sends 2(n−1)/n of them at the bandwidth given here.`,achievable:`What AllReduce reaches on this link in published measurements; the source stands in the tables.`,"measured transfer":`From the arrival of the last GPU at AllReduce to its end: what the data takes. Per step.`,waiting:`From the arrival of a GPU at AllReduce to that of the last one. Per step, averaged over GPUs.`,exposed:`Transfer and waiting while the GPU computes nothing: only this lengthens the step.`,hidden:`Transfer and waiting while the GPU computes, too: this costs nothing.`,"bus bandwidth":`Bytes × 2(n−1)/n / transfer time, as nccl-tests define it: what each GPU sends over its link, whatever their number.`};function Br(e,t,n=``){return{term:e,value:t,meaning:U[e],note:n}}function W(e){return e===null?`not known`:F(e)}function Vr(e){let t=[Br(`guide estimate`,W(e.guide_ns)),Br(`ring bound`,W(e.ring_bound_ns))];if(e.transfer_ns!==null&&t.push(Br(`measured transfer`,F(e.transfer_ns))),e.wait_ns!==null){let n=e.wait_ns>0?Hr(e):``;t.push(Br(`waiting`,F(e.wait_ns),n&&`, mostly for ${n}`))}return t}function Hr({devices:e,hosts_count:t}){let n=e.reduce((e,{caused_wait_ns:t})=>e+t,0),r=e.find(({caused_wait_ns:e})=>e>n/2);return r?ei(r,t>1):``}function Ur(e){return[[`exposed`,e.exposed_ns,F],[`hidden`,e.hidden_ns,F],[`bus bandwidth`,e.busbw_gbps,e=>B(e,`GB/s`)],[`achievable`,e.achievable_ns,F]].flatMap(([e,t,n])=>t===null?[]:[Br(e,n(t))])}function Wr(e){let t=(e,t,n)=>({term:e,value:t,meaning:n,note:``});return[t(`Parameters`,e.parameters===null?`not known`:z(e.parameters),qr(e)),t(`Bandwidth of one GPU`,e.bandwidth_gbps===null?`not known`:B(e.bandwidth_gbps,`GB/s`),e.bandwidth_source),t(`Bytes per step`,e.bytes_per_step===null?`not known`:R(e.bytes_per_step),e.bytes_source),t(`Guide estimate`,W(e.guide_ns),U[`guide estimate`]),t(`Ring bound`,W(e.ring_bound_ns),U[`ring bound`]),t(`Achievable`,W(e.achievable_ns),e.achievable_source||U.achievable),...e.measured_ns===null?[]:[t(`Measured transfer`,W(e.transfer_ns),U[`measured transfer`]),t(`Measured waiting`,W(e.wait_ns),U.waiting),t(`Measured, both`,W(e.measured_ns),`Transfer and waiting together. Per step.`),t(`Exposed`,W(e.exposed_ns),U.exposed),t(`Hidden`,W(e.hidden_ns),U.hidden),t(`Bus bandwidth`,e.busbw_gbps===null?`not known`:B(e.busbw_gbps,`GB/s`),U[`bus bandwidth`])]]}function Gr(e){return e.difference||e.measured_ns!==null?e.difference:e.guide_ns===null?`No collective was recorded in this profile. With the number of parameters and the bandwidth, estimates say what AllReduce should take.`:`No collective was recorded in this profile; the estimates say what AllReduce should take.`}var Kr={given:`as typed`,recorded:`recorded by the training`,estimated:`estimated from the profile`,unknown:`not known: type it to get the estimates`};function qr({parameters_source:e,parameters_basis:t}){return t===``?Kr[e]:e===`estimated`?`${Kr[e]}: ${t}`:t}function Jr(e){let t=e.parameters===null?``:`${z(e.parameters)}, `,n=e.parameters_source===`given`?`. Empty the field to go back.`:``;return`${t}${qr(e)}${n}`}function Yr({bandwidth_gbps:e,bandwidth_source:t}){return e===null?`${t||`not known`}: type it to get the estimates`:`${B(e,`GB/s`)}, ${t}`}function Xr(e){return[[`guide estimate`,e.guide_ns,`6 4`],[`ring bound`,e.ring_bound_ns,`none`],[`achievable`,e.achievable_ns,`2 3`]].flatMap(([e,t,n])=>t===null?[]:[{words:e,ns:t,dashes:n}])}function Zr(e){let t=e.steps.map(({transfer_ns:e,wait_ns:t})=>e+t),n=[Math.min(...t),Math.max(...t)].map(F),r=Xr(e).map(({words:e,ns:t})=>`${e} ${F(t)}`);return[`AllReduce of ${z(e.steps.length)} steps: transfer and waiting together take ${n.join(` to `)}`,...r].join(`; `)}function Qr({step:e,transfer_ns:t,wait_ns:n,exposed_ns:r}){return`Step ${e}: transfer ${F(t)}, waiting ${F(n)}, exposed ${F(r)}`}function $r(e,t){let n=e[t-1]?.up_to_bytes??null,r=e[t]?.up_to_bytes??null;return r===null?n===null?`largest`:`more than ${R(n)}`:`up to ${R(r)}`}function ei({host:e,device:t},n){return n?`${e} ${H(t)}`:H(t)}var ti={all_reduce:`AllReduce`,reduce_scatter:`ReduceScatter`,all_gather:`AllGather`,send_recv:`SendRecv`,broadcast:`Broadcast`,reduce:`Reduce`};function ni(e){return ti[e]??e}function ri({last:e}){if(!e)return`not known`;let t=e.lastIndexOf(` `)+1;return`${e.slice(0,t)}${H(e.slice(t))}`}function ii(e){let t=e.size_bytes===null?``:` of ${R(e.size_bytes)}`;return{host:e.host,begin_ms:e.begin_ms,end_ms:e.end_ms,label:`${ni(e.kind)}${t}, ${F(e.transfer_ns)} of transfer`,device:null,stream:null,step:e.step}}function ai(e){let t=e/5,n=10**Math.floor(Math.log10(t)),r=([1,2,5,10].find(e=>e*n>=t)??10)*n;return Array.from({length:Math.floor(e/r)+1},(e,t)=>t*r)}function oi(e,t,n){let r=e.map((e,t)=>t).sort((t,n)=>(e[t]??0)-(e[n]??0)),i=[...e],a=-1/0;for(let e of r)i[e]=Math.max(i[e]??0,a),a=(i[e]??0)+t;let o=n;for(let e of r.reverse())i[e]=Math.min(i[e]??0,o),o=(i[e]??0)-t;return i}var si=`http://www.w3.org/2000/svg`;function G(e,t={},...n){let r=document.createElementNS(si,e);for(let[e,n]of Object.entries(t))r.setAttribute(e,String(n));return r.append(...n),r}var ci={rising:`M-2 2L2 -2M0 8L8 0M6 10L10 6`,falling:`M-2 6L2 10M0 0L8 8M6 -2L10 2`,cross:`M0 0L8 8M8 0L0 8`,bars:`M2 0V8M6 0V8`,dots:`M1.5 2H3.5M5.5 6H7.5`},li=0,ui=class{constructor(){this.defs=G(`defs`),this.prefix=`pattern-${++li}`,this.made=new Set}fill(e,t){let n=G(`g`,{},G(`rect`,{...t,style:`fill: var(${e.colour})`}));return e.pattern!==`solid`&&n.append(G(`rect`,{...t,fill:`url(#${this.tile(e.pattern)})`})),n}tile(e){let t=`${this.prefix}-${e}`;return this.made.has(e)||(this.made.add(e),this.defs.append(G(`pattern`,{id:t,width:8,height:8,patternUnits:`userSpaceOnUse`},G(`path`,{d:ci[e],style:`fill: none; stroke: var(--hatch); stroke-width: ${e===`dots`?2:1.2}`})))),t}};function K(e,t){let n=new ui,r=G(`svg`,{width:12,height:12,"aria-hidden":`true`,style:`border-radius: 3px; flex: none`},n.defs,n.fill(e,{width:12,height:12})),i=document.createElement(`li`);return i.append(r,t),i}var di=10,fi=140,pi=15,mi=6,hi=16;function gi(e,t,n){let r=Math.max(1,...e.map(({transfer_ns:e,wait_ns:t})=>e+t),...t.map(({ns:e})=>e)),i=e=>di+fi*(1-e/r),a=100/Math.max(e.length,mi),o=e=>`${e.toFixed(4)}%`,s=new ui,c=i(0),l=e.map((e,t)=>{let n=o((t+.15)*a),r=o(.7*a),l=e.transfer_ns+e.wait_ns,u=i(Math.min(e.exposed_ns,l));return G(`g`,{},G(`rect`,{x:o(t*a),y:di,width:o(a),height:fi,class:`slot`}),s.fill(M(`communication.transfer`),{x:n,y:i(e.transfer_ns),width:r,height:c-i(e.transfer_ns)}),s.fill(M(`communication.wait`),{x:n,y:i(l),width:r,height:i(e.transfer_ns)-i(l)}),G(`line`,{x1:n,x2:o((t+.85)*a),y1:u,y2:u,class:`exposed`}))}),u=e.length<=hi?e.keys():[0,e.length-1];return{drawing:G(`svg`,{width:`100%`,height:172,role:`img`,"aria-label":n},s.defs,...ai(r).map(e=>G(`g`,{},G(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`grid`}),G(`text`,{x:0,dx:-8,y:i(e)+4,class:`tick end`},e===0?`0`:F(e)))),...l,G(`text`,{x:0,dx:-8,y:c+16,class:`tick end`},`step`),...[...u].map(t=>G(`text`,{x:o((t+.5)*a),y:c+16,class:`tick`},String(e[t]?.step))),..._i(t,i,c)),columns:l}}function _i(e,t,n){let r=oi(e.map(({ns:e})=>t(e)),pi,n);return e.flatMap(({words:e,ns:n,dashes:i},a)=>{let[o,s]=[t(n),r[a]??0];return[G(`line`,{x1:0,x2:`100%`,y1:o,y2:o,class:`estimate`,"stroke-dasharray":i}),G(`svg`,{x:`100%`,overflow:`visible`},G(`path`,{d:`M0 ${o}H3L11 ${s}H14`,class:`leader`}),G(`text`,{x:18,y:s+4,class:`estimate-label`},`${e} ${F(n)}`))]})}var vi=e=>e===null?`not recorded`:R(e),yi=e=>e===null?`not known`:B(e,`GB/s`);function q(e,t){return{head:e,cell:t,kind:`number`}}function bi(e){return{lines:[{head:`What`,cell:({term:e})=>e},q(`Value`,({value:e})=>e),{head:`How it is known`,cell:({meaning:e})=>e,kind:`note name`}],steps:[{head:`Step`,cell:({step:e})=>String(e)},q(`Transfer`,({transfer_ns:e})=>F(e)),q(`Waiting`,({wait_ns:e})=>F(e)),q(`Both`,({transfer_ns:e,wait_ns:t})=>F(e+t)),q(`Exposed`,({exposed_ns:e})=>F(e))],sizes:[{head:`Size`,cell:(t,n)=>$r(e.sizes,n)},q(`Calls per step`,({calls_per_step:e})=>z(e)),q(`Bytes per step`,({bytes_per_step:e})=>vi(e)),q(`Transfer per step`,({transfer_ns:e})=>F(e)),q(`Bus bandwidth`,({busbw_gbps:e})=>yi(e)),q(`Achievable`,({achievable_gbps:e})=>yi(e)),{head:`Source of the achievable`,cell:({achievable_source:e})=>e,kind:`note name`}],devices:[{head:`GPU`,cell:t=>ei(t,e.hosts_count>1),kind:`name`},q(`Transfer per step`,({transfer_ns:e})=>F(e)),q(`Waits per step`,({wait_ns:e})=>F(e)),q(`Came last in`,({last_ratio:e})=>`${L(e)} of calls`),q(`Others wait for it`,({caused_wait_ns:e})=>F(e))]}}function xi(e){return[{head:`Call`,cell:({kind:e})=>ni(e)},q(`Step`,({step:e})=>String(e)),q(`Size`,({size_bytes:e})=>vi(e)),q(`GPUs`,({participants:e,hosts_count:t})=>`${z(e)}${t>1?` on ${V(t,`host`)}`:``}`),q(`Transfer`,({transfer_ns:e})=>F(e)),q(`Waiting of all`,({wait_ns:e})=>F(e)),q(`Exposed`,({exposed_ns:e})=>F(e)),{head:`Came last`,cell:ri,kind:`name`},{head:`In the trace at`,kind:`number`,cell:t=>{let n=I(t.begin_ms),r=e(t);if(!r)return n;let i=document.createElement(`button`);return i.className=`bare open`,i.textContent=n,i.setAttribute(`aria-label`,`Show ${ni(t.kind)} of step ${t.step} at ${n} in the trace`),i.addEventListener(`click`,r),i}}]}function J(e,t,n=null){e.dispatchEvent(new CustomEvent(t,{bubbles:!0,composed:!0,detail:n}))}var Si=class extends k{static get is(){return`tfperf-places`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        .ways { display: flex; flex-wrap: wrap; gap: 8px; }
        ul { list-style: none; margin-top: 8px; padding: 0; }
        .place { border-left: 3px solid transparent; border-radius: 3px; padding: 3px 8px; width: 100%; }
        .place:hover { background: var(--ground); }
        .place[aria-pressed='true'] { border-left-color: var(--accent); background: var(--ground); }
        .place b { -webkit-box-orient: vertical; -webkit-line-clamp: 2; display: -webkit-box; font-weight: 400; overflow: hidden; }
        .place b::first-letter { text-transform: uppercase; }
        .place span { color: var(--ink-2); display: block; font-size: 12.5px; }
        .only { margin-top: 8px; }
      </style>
      <template is="dom-if" if="[[linked]]">
        <div class="ways">
          <button class="button accent" on-click="onShow" aria-expanded$="[[text(shown)]]">[[showLabel(shown)]]</button>
          <a class="button" href$="[[profileHref]]" target="_parent" on-click="onProfile">Open in Profile tab</a>
          <a class="button" href$="[[viewer]]" target="_blank" rel="noopener">New window</a>
        </div>
      </template>
      <p class="note" hidden$="[[!refusal]]">[[refusal]]</p>
      <template is="dom-if" if="[[single(places)]]">
        <p class="note name only">[[describe(place)]][[sentence(place)]]</p>
      </template>
      <template is="dom-if" if="[[!single(places)]]">
        <ul aria-label="Places, worst first">
          <template is="dom-repeat" items="[[places]]">
            <li>
              <button class="bare place name" aria-pressed$="[[isChosen(item, place)]]" on-click="onChoose">
                <b title$="[[item.label]]">[[item.label]]</b><span>[[describe(item)]]</span>
              </button>
            </li>
          </template>
        </ul>
      </template>
    `}static get properties(){return{run:String,places:Array,access:Object,shown:{type:Boolean,value:!1},place:Object,linked:{type:Boolean,computed:`canLink(access, place)`},refusal:{type:String,computed:`why(access, place)`},viewer:{type:String,computed:`viewerOf(run, place)`},profileHref:{type:String,computed:`profileOf(run, place)`}}}static get observers(){return[`onPlaces(places)`]}onPlaces(e){e[0]&&(this.place=e[0])}onChoose(e){this.place=e.model.item,this.shown&&this.announce(!0)}onShow(){this.announce(!this.shown)}onProfile(e){e.ctrlKey||e.metaKey||e.shiftKey||e.button!==0||J(this,`open-profile-tab`,{target:Ci(this.run,this.place),click:e})}canLink(e,t){return t!==void 0&&te(e,t.host)}why(e,t){return t?ne(e,t.host):``}viewerOf(e,t){return t===void 0?``:l(document.baseURI,Ci(e,t))}profileOf(e,t){return t===void 0?``:s(document.baseURI,Ci(e,t))}describe(e){return e?[e.step===null?``:`step ${e.step}`,e.device===null?``:H(e.device),e.stream??``,e.host,Pr(e.begin_ms,e.end_ms)].filter(Boolean).join(` · `):``}sentence(e){return e?.label?`: ${e.label}`:``}showLabel(e){return e?`Close the trace`:`Show in trace`}single(e){return e?.length===1}isChosen(e,t){return String(e===t)}text(e){return String(e)}announce(e){J(this,`show-trace`,{place:e?this.place:null})}};function Ci(e,t){return{run:e,host:t.host,beginMs:t.begin_ms,endMs:t.end_ms}}customElements.define(Si.is,Si);var wi=class extends k{static get is(){return`tfperf-table`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        .note { margin-top: 4px; }
        .open { color: var(--accent); white-space: nowrap; }
        th.number { white-space: normal; }
        th button { color: inherit; text-align: inherit; }
        th button::after { content: attr(data-arrow); }
        thead th { background: var(--table-ground, var(--page)); position: sticky; top: 0; }
        td:not(.name) { white-space: nowrap; }
        .elided { white-space: nowrap; }
        .elided:focus { white-space: normal; }
      </style>
      <details hidden$="[[!items.length]]" open$="[[open]]" on-toggle="onToggle">
        <summary>[[heading]]</summary>
        <div id="table" class="scroll" tabindex="0" role="group" aria-label$="[[heading]]"></div>
        <p class="note name" hidden$="[[!note]]">[[note]]</p>
      </details>
    `}static get properties(){return{heading:String,columns:{type:Array,value:()=>[]},items:{type:Array,value:()=>[]},note:{type:String,value:``},open:{type:Boolean,value:!1},order:{type:Object,value:null}}}static get observers(){return[`draw(columns, items, open, order)`]}onToggle(e){this.open=e.target.open}draw(e,t,n,r){this.$.table?.replaceChildren(...n?[Ei(e,Ti(t,r),r,t=>{this.order={column:t,usual:this.order?.column!==t||!this.order.usual},this.shadowRoot?.querySelectorAll(`th button`)[e.filter(({value:e})=>e).indexOf(t)]?.focus()})]:[])}};function Ti(e,t){let n=t?.column.value;if(!n)return e;let r=t.usual?1:-1;return[...e].sort((e,t)=>{let[i,a]=[n(e),n(t)];return i===null||a===null||i===``||a===``?Number(i===null||i===``)-Number(a===null||a===``):r*(typeof i==`number`&&typeof a==`number`?a-i:String(i).localeCompare(String(a),`en`,{numeric:!0}))})}function Ei(e,t,n,r){let i=(t,n)=>{let r=document.createElement(`tr`);return r.append(...e.map(e=>{let r=document.createElement(t);return r.className=e.kind??``,r.append(n(e,r)),r})),r},a=(e,t)=>{if(!e.value)return e.head;let i=document.createElement(`button`);if(i.className=`bare`,i.textContent=e.head,i.addEventListener(`click`,()=>r(e)),n?.column===e){let r=n.usual===(e.kind===`number`);t.setAttribute(`aria-sort`,r?`descending`:`ascending`),i.dataset.arrow=r?` ▾`:` ▴`}return i},o=document.createElement(`table`);return o.createTHead().append(i(`th`,a)),o.createTBody().append(...t.map((e,t)=>i(`td`,({cell:n})=>n(e,t)))),o}customElements.define(wi.is,wi);var Di=8,Oi=class extends k{static get is(){return`tfperf-term`}static get template(){return O`
      ${j}
      <style>
        :host { color: inherit; display: inline-block; font: inherit; position: relative; }
        #word { cursor: help; text-decoration: underline dotted var(--control-line); text-underline-offset: 3px; }
        #meaning { left: 0; top: 100%; transform: none; }
      </style>
      <button id="word" class="bare" aria-describedby="meaning" on-focus="onShow" on-blur="onHide" on-click="onShow" on-keydown="onKey">[[word]]</button><span id="meaning" class="tip" role="tooltip" hidden$="[[!shown]]">[[meaning]]</span>
    `}static get properties(){return{word:String,meaning:String,shown:{type:Boolean,value:!1}}}ready(){super.ready(),this.addEventListener(`pointerenter`,()=>this.onShow()),this.addEventListener(`pointerleave`,()=>this.onHide())}onShow(){this.shown=!0;let e=this.$.meaning;e.style.left=`0`;let t=e.getBoundingClientRect().right+Di-document.documentElement.clientWidth;t>0&&(e.style.left=`${-t}px`)}onHide(){this.shown=!1}onKey(e){e.key===`Escape`&&this.onHide()}};customElements.define(Oi.is,Oi);var Y=class{constructor(e){this.chart=e,this.tip=document.createElement(`div`),this.part=null,this.tip.className=`tip`,this.tip.setAttribute(`role`,`status`),this.tip.hidden=!0,e.append(this.tip)}explain(e,t,n){let r=0,i=e=>{r=(e+t.length)%t.length;let i=t[r];i&&this.show(i,n[r]??``)},a=()=>this.hide();e.setAttribute(`tabindex`,`0`),t.forEach((e,t)=>e.addEventListener(`pointerenter`,()=>i(t))),e.addEventListener(`pointerleave`,a),e.addEventListener(`focus`,()=>i(r)),e.addEventListener(`blur`,a),e.addEventListener(`keydown`,e=>{if(e.key===`Escape`)return a();let t={ArrowLeft:-1,ArrowRight:1}[e.key];t!==void 0&&(e.preventDefault(),i(r+t))})}show(e,t){this.hide(),this.part=e,e.classList.add(`on`),this.tip.textContent=t,this.tip.hidden=!1;let n=this.chart.getBoundingClientRect(),r=e.getBoundingClientRect(),i=this.tip.offsetWidth/2,a=r.left+r.width/2-n.left;this.tip.style.left=`${Math.max(Math.min(a,n.width-i),i)}px`,this.tip.style.top=`${r.bottom-n.top}px`}hide(){this.tip.hidden=!0,this.part?.classList.remove(`on`)}},ki=!1,Ai=[],ji=[];function Mi(){ki=!0,requestAnimationFrame(function(){ki=!1,Ni(Ai),setTimeout(function(){Pi(ji)})})}function Ni(e){for(;e.length;)Fi(e.shift())}function Pi(e){for(let t=0,n=e.length;t<n;t++)Fi(e.shift())}function Fi(e){let t=e[0],n=e[1],r=e[2];try{n.apply(t,r)}catch(e){setTimeout(()=>{throw e})}}function Ii(e,t,n){ki||Mi(),ji.push([e,t,n])}var Li=class extends k{static get is(){return`tfperf-trace`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; margin-top: 16px; }
        iframe { background: #fff; border: 1px solid var(--line); border-radius: 6px; display: block; height: clamp(480px, 82vh, 900px); margin-top: 6px; width: 100%; }
      </style>
      <span class="note name">[[whereabouts(place)]]</span>
      <div id="viewer"></div>
    `}static get properties(){return{run:String,place:{type:Object,value:null}}}static get observers(){return[`onPlace(run, place)`]}onPlace(e,t){this.$.viewer?.replaceChildren(...t?[this.frame(e,t)]:[])}whereabouts(e){return e?`Trace viewer: ${e.host}, ${Pr(e.begin_ms,e.end_ms)}`:``}frame(e,t){let n=document.createElement(`iframe`);return n.title=this.whereabouts(t),n.src=l(document.baseURI,{run:e,host:t.host,beginMs:t.begin_ms,endMs:t.end_ms}),Ii(this,()=>n.scrollIntoView({block:`nearest`})),n}};customElements.define(Li.is,Li);var Ri=class extends k{static get is(){return`tfperf-allreduce`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        .panel { --table-ground: var(--panel); background: var(--panel); border: 1px solid var(--line); border-radius: 10px; margin-top: 8px; padding: 14px 18px; }
        .columns { display: grid; gap: 16px 32px; grid-template-columns: minmax(200px, 250px) minmax(0, 1fr); }
        label { display: block; font-size: 13px; }
        .field + .field { margin-top: 14px; }
        input { background: var(--page); border: 1px solid var(--control-line); border-radius: 6px; display: block; margin-top: 3px; padding: 5px 8px; width: 100%; }
        input::placeholder { color: var(--ink-2); opacity: 1; }
        input[aria-invalid='true'] { border-color: var(--critical); }
        .field p { margin-top: 3px; }
        .field p::first-letter { text-transform: uppercase; }
        .refused { color: var(--critical); font-size: 13px; }
        .numbers { clip-path: inset(0 -100vw -100vh 0); column-gap: 20px; display: flex; flex-wrap: wrap; list-style: none; padding: 0; }
        .numbers li { position: relative; }
        /* A dot before the first number of a line falls outside, where it is clipped. */
        .numbers li::before { color: var(--ink-2); content: '·'; left: -12px; position: absolute; }
        .numbers b { white-space: nowrap; }
        .numbers.more { color: var(--ink-2); font-size: 13px; margin-top: 2px; }
        .numbers.more b { font-weight: 400; }
        .difference { margin-top: 6px; }
        .busy { color: var(--ink-2); float: right; font-size: 13px; }
        #chart { margin-top: 12px; padding: 0 168px 0 60px; position: relative; }
        #chart svg { display: block; overflow: visible; }
        .slot { fill: transparent; }
        g.on .slot { fill: var(--ground); }
        .exposed { stroke: var(--ink); stroke-width: 2; }
        .grid { stroke: var(--line); }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .tick.end { text-anchor: end; }
        .estimate { stroke: var(--ink); stroke-width: 1.2; }
        .leader { fill: none; stroke: var(--ink-2); }
        .estimate-label { fill: var(--ink); font-size: 12px; }
        .legend { margin-top: 4px; padding-left: 60px; }
        .legend i { border-top: 2px solid var(--ink); width: 12px; }
        .tables { margin-top: 12px; }
        tfperf-table + tfperf-table { margin-top: 4px; }
        tfperf-places { margin-top: 14px; }
        @media (max-width: 799px) { .columns { grid-template-columns: minmax(0, 1fr); } }
      </style>
      <h2>AllReduce <small>[[subtitle(allreduce)]]</small></h2>
      <div class="panel">
        <div class="columns">
          <div>
            <div class="field">
              <label for="parameters">Parameters of the model</label>
              <input id="parameters" type="text" autocomplete="off" spellcheck="false" placeholder$="[[parametersHint(allreduce)]]" aria-invalid$="[[isRefused('parameters', refused)]]" aria-describedby="parameters-refused parameters-note" on-change="onTyped">
              <p id="parameters-refused" class="refused" role="alert" hidden$="[[!refused.parameters]]">[[refused.parameters.message]]</p>
              <p id="parameters-note" class="note name">[[parametersNote(allreduce)]]</p>
            </div>
            <div class="field">
              <label for="bandwidth">Bandwidth of one GPU</label>
              <input id="bandwidth" type="text" autocomplete="off" spellcheck="false" list="links" placeholder$="[[bandwidthHint(allreduce)]]" aria-invalid$="[[isRefused('bandwidth', refused)]]" aria-describedby="bandwidth-refused bandwidth-note" on-change="onTyped">
              <datalist id="links">
                <option value="NVLink 2"></option><option value="NVLink 3"></option><option value="NVLink 4"></option><option value="NVLink 5"></option>
                <option value="PCIe 3 x16"></option><option value="PCIe 4 x16"></option><option value="PCIe 5 x16"></option>
              </datalist>
              <p id="bandwidth-refused" class="refused" role="alert" hidden$="[[!refused.bandwidth]]">[[refused.bandwidth.message]]</p>
              <p id="bandwidth-note" class="note name">[[bandwidthNote(allreduce)]]</p>
            </div>
          </div>
          <div>
            <span class="busy" role="status">[[busy(recomputing)]]</span>
            <ul class="numbers" aria-label="Per step">
              <template is="dom-repeat" items="[[sentence]]">
                <li><tfperf-term word="[[item.term]]" meaning="[[item.meaning]]"></tfperf-term> <b>[[item.value]]</b><span class="name">[[item.note]]</span></li>
              </template>
            </ul>
            <ul class="numbers more" hidden$="[[!further.length]]" aria-label="Further numbers">
              <template is="dom-repeat" items="[[further]]">
                <li><tfperf-term word="[[item.term]]" meaning="[[item.meaning]]"></tfperf-term> <b>[[item.value]]</b></li>
              </template>
            </ul>
            <p class="difference name" hidden$="[[!difference]]">[[difference]]</p>
            <div hidden$="[[!allreduce.steps.length]]">
              <div id="chart"></div>
              <ul id="legend" class="legend" aria-label="Columns, one a step"></ul>
            </div>
          </div>
        </div>
        <div class="tables">
          <tfperf-table heading="Each number, and how it is known" columns="[[tables.lines]]" items="[[lines]]"></tfperf-table>
          <tfperf-table heading="AllReduce of each step" columns="[[tables.steps]]" items="[[allreduce.steps]]"></tfperf-table>
          <tfperf-table heading="By size of the call" columns="[[tables.sizes]]" items="[[allreduce.sizes]]"></tfperf-table>
          <tfperf-table heading="By GPU" columns="[[tables.devices]]" items="[[allreduce.devices]]" note="“Others wait for it”: per step, averaged over the other GPUs."></tfperf-table>
          <tfperf-table heading="The longest calls" columns="[[calls]]" items="[[allreduce.calls]]" note="[[capped(allreduce)]]"></tfperf-table>
        </div>
        <template is="dom-if" if="[[chosen.length]]" restamp>
          <tfperf-places run="[[run]]" places="[[chosen]]" access="[[access]]" shown="[[isShown(traced)]]"></tfperf-places>
        </template>
        <template is="dom-if" if="[[traced]]" restamp>
          <tfperf-trace run="[[run]]" place="[[traced]]"></tfperf-trace>
        </template>
      </div>
    `}static get properties(){return{allreduce:{type:Object,observer:`onReport`},run:String,access:{type:Object,value:null},typed:{type:Object,value:()=>cr},refused:{type:Object,value:()=>ur},recomputing:{type:Boolean,value:!1},sentence:{type:Array,computed:`sentenceOf(allreduce)`},further:{type:Array,computed:`furtherOf(allreduce)`},lines:{type:Array,computed:`linesOf(allreduce)`},tables:{type:Object,computed:`tablesOf(allreduce)`},calls:{type:Array,computed:`callsOf(access)`},difference:{type:String,computed:`differenceOf(allreduce)`},chosen:{type:Array,value:()=>[]},traced:{type:Object,value:null}}}static get observers(){return[`onFields(typed, refused, run)`]}ready(){super.ready(),this.addEventListener(`show-trace`,e=>{this.traced=e.detail.place})}onReport(e){if(this.chosen=[],this.traced=null,!e||e.steps.length===0)return;let t=this.$.chart,{drawing:n,columns:r}=gi(e.steps,Xr(e),Zr(e));t.replaceChildren(n),this.tip=new Y(t),this.tip.explain(n,r,e.steps.map(Qr));let i=document.createElement(`li`);i.append(document.createElement(`i`),`exposed: not hidden by compute`),this.$.legend?.replaceChildren(K(M(`communication.transfer`),`transfer`),K(M(`communication.wait`),`waiting`),i)}onFields(e,t){this.settled??={parameters:``,bandwidth:``};for(let n of lr){let r=this.$[n];r.value===this.settled[n]&&(r.value=this.settled[n]=t[n]?.text??e[n]??``)}}onTyped(e){let t=e.target,n=t.id,r=t.value.trim();this.settled&&(this.settled[n]=t.value),J(this,`assume`,{field:n,text:r===``?null:r})}isShown(e){return e!==null}isRefused(e,t){return String(t[e]!==null)}busy(e){return e?`Recomputing …`:``}subtitle(e){if(!e)return``;let t=e.hosts_count>1?` on ${V(e.hosts_count,`host`)}`:``,n=e.measured_ns===null?``:`, ${V(e.calls_per_step,`call`)} per step`;return`${V(e.participants,`GPU`)}${t}${n}`}parametersHint(e){return e?.parameters?Fr(e.parameters):`e.g. 25.6M`}bandwidthHint(e){return e?.bandwidth_gbps?B(e.bandwidth_gbps,`GB/s`):`e.g. 600 GB/s or NVLink 3`}parametersNote(e){return e?Jr(e):``}bandwidthNote(e){return e?Yr(e):``}sentenceOf(e){return e?Vr(e):[]}furtherOf(e){return e?Ur(e):[]}linesOf(e){return e?Wr(e):[]}differenceOf(e){return e?Gr(e):``}tablesOf(e){return e?bi(e):null}callsOf(e){return xi(t=>te(e,t.host)?()=>this.showCall(t):null)}capped(e){let t=e?.calls.length??0;return e&&e.calls_total>t?`The ${z(t)} longest of ${z(e.calls_total)} calls.`:``}showCall(e){let t=ii(e);this.chosen=[t],this.traced=t}};customElements.define(Ri.is,Ri);var zi=class extends k{static get is(){return`tfperf-bar`}static get template(){return O`
      ${j}
      <style>
        :host { align-items: center; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 8px 16px; justify-content: space-between; padding: 16px 0 14px; }
        label { align-items: center; color: var(--ink-2); display: flex; font-size: 13px; gap: 12px; min-width: 0; }
        select { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; color: var(--ink); max-width: min(560px, 70vw); padding: 6px 8px; text-overflow: ellipsis; }
        p { min-width: 0; overflow-wrap: anywhere; text-align: right; }
      </style>
      <label>Run
        <select id="run" title$="[[run]]" on-change="onChange">
          <template is="dom-repeat" items="[[names(runs, run)]]">
            <option value="[[item]]" selected="[[isRun(item, run)]]">[[item]]</option>
          </template>
        </select>
      </label>
      <p class="note">[[about]]</p>
    `}static get properties(){return{runs:{type:Array,value:()=>[]},run:{type:String,value:null},report:{type:Object,value:null},about:{type:String,computed:`aboutOf(report)`}}}names(e,t){let n=e.map(({name:e})=>e);return t===null||n.includes(t)?n:[t,...n]}isRun(e,t){return e===t}aboutOf(e){if(!e)return``;let{steps:t,devices:n,hosts:r,timing:i}=e,a=i.reduce((e,{ns:t})=>e+t,0);return[V(t.count,`step`),n.length>0?zr(n.map(({name:e})=>e)):`no GPU`,r.length===1?`host ${r[0]}`:V(r.length,`host`),a>0?`analysed in ${F(a)}`:``].filter(Boolean).join(` · `)}onChange(e){J(this,`run-change`,{run:e.target.value})}};customElements.define(zi.is,zi);var Bi={not_found:`This run is not there`,bad_request:`This cannot be asked`,unreadable:`This profile cannot be read`,not_judgeable:`This profile cannot be judged`,internal:`The analysis failed`,unreachable:`No answer`},Vi={not_found:`Choose another run above, or look again if it has just been written.`,bad_request:`Try again without what was typed in or held by the address.`,unreadable:`If it is still being written, try again when that is done. Other runs stay usable.`,not_judgeable:`Record it again with GPU and host tracing on, or choose another run above.`,internal:`Other runs stay usable. The log of TensorBoard holds the details; please report them.`,unreachable:`Start TensorBoard again, then try once more.`},Hi=class extends k{static get is(){return`tfperf-failure`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; max-width: 820px; padding: 32px 0; }
        section { background: var(--critical-ground); border-radius: 10px; padding: 16px 20px; }
        h1 { color: var(--critical); font-size: 18px; font-weight: 600; }
        p { margin-top: 6px; }
        .button { margin-top: 16px; }
      </style>
      <section role="alert">
        <h1>[[heading(error)]]</h1>
        <p class="name">[[error.message]]</p>
        <p>[[advice(error)]]</p>
      </section>
      <button class="button" on-click="onRetry">Try again</button>
    `}static get properties(){return{error:Object}}heading(e){return Bi[e.kind]}advice(e){return Vi[e.kind]}onRetry(){J(this,`retry`)}};customElements.define(Hi.is,Hi);var Ui=class extends k{static get is(){return`tfperf-checks`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        .groups { display: flex; flex-wrap: wrap; gap: 4px 24px; }
        .group { color: var(--ink-2); font-size: 13px; padding: 2px 0; }
        .group:hover { color: var(--ink); }
        .group b { color: var(--ink); }
        .group::before { content: '▸'; display: inline-block; margin-right: 6px; transition: transform 0.1s; }
        .group[aria-expanded='true']::before { transform: rotate(90deg); }
        .rows { border: 1px solid var(--line); border-radius: 10px; margin-top: 8px; padding: 4px 18px; }
        li { padding: 9px 0; }
        li + li { border-top: 1px solid var(--line); }
        ul { list-style: none; padding: 0; }
        .title { align-items: baseline; display: flex; flex-wrap: wrap; gap: 0 16px; justify-content: space-between; }
        h3 { font-size: 14px; font-weight: 600; margin: 0; }
        .reason { overflow-wrap: anywhere; white-space: pre-line; }
        @media (prefers-reduced-motion: reduce) { .group::before { transition: none; } }
      </style>
      <div class="groups">
        <template is="dom-repeat" items="[[groups]]">
          <button class="bare group" aria-expanded$="[[isOpen(item, open)]]" aria-controls="rows" on-click="onOpen">
            <b>[[item.count]]</b> [[item.words]]
          </button>
        </template>
      </div>
      <div id="rows">
        <template is="dom-if" if="[[open]]">
          <ul class="rows" aria-label$="[[open.words]]">
            <template is="dom-repeat" items="[[open.rows]]">
              <li>
                <div class="title">
                  <h3 class="name">[[item.title]]</h3>
                  <a class="note" href$="[[page(item, open)]]" hidden$="[[!open.rules]]" target="_blank" rel="noopener" aria-label$="How this is measured: [[item.title]]">How this is measured</a>
                </div>
                <p class="reason">[[item.reason]]</p>
                <p class="note reason" hidden$="[[!item.how]]">[[item.how]]</p>
              </li>
            </template>
          </ul>
        </template>
      </div>
    `}static get properties(){return{report:{type:Object,observer:`onReport`},groups:Array,open:{type:Object,value:null}}}onReport(e){let t=e.anomalies.map(e=>({id:e.name,title:`${e.name} (${z(e.count)})`,reason:e.sentence,how:e.severity===`data_loss`?`Part of the recorded data could not be used.`:``})),n=[[`errors`,`failed while checking`,e.errors,!0],[`passed`,`passed`,e.passed,!0],[`missing_data`,`could not be checked, and how to`,e.missing_data,!0],[`not_applicable`,`do not apply`,e.not_applicable,!0],[`manual`,`to check by hand`,e.manual,!1],[`anomalies`,`oddities in the file`,t,!1]];this.groups=n.filter(([,,e])=>e.length>0).map(([e,t,n,r])=>({id:e,words:t,rows:n,rules:r,count:z(n.length)})),this.open=this.groups.find(({id:e})=>e===this.open?.id)??null}onOpen(e){this.open=this.open===e.model.item?null:e.model.item}page(e,t){return t?.rules?f(document.baseURI,e.id):void 0}isOpen(e,t){return String(e===t)}};customElements.define(Ui.is,Ui);var Wi=class extends k{static get is(){return`tfperf-evidence`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        td { overflow-wrap: anywhere; }
        td:first-child::first-letter { text-transform: uppercase; }
        td.number { overflow-wrap: normal; }
        td.words { width: 250px; text-align: right; }
        .against { color: var(--ink-2); text-align: right; width: 38%; }
        .against div + div { font-size: 12.5px; }
      </style>
      <table>
        <caption class="unseen">Evidence</caption>
        <thead class="unseen"><tr><th>What</th><th>Value</th><th>Threshold and source</th></tr></thead>
        <tbody>
          <template is="dom-repeat" items="[[items]]">
            <tr>
              <td>[[item.label]]</td>
              <td class$="[[valueClass(item)]]">[[value(item)]]</td>
              <td class="against"><div>[[against(item)]]</div><div>[[item.source]]</div></td>
            </tr>
          </template>
        </tbody>
      </table>
    `}static get properties(){return{items:Array}}value(e){return B(e.value,e.unit)}valueClass(e){return this.value(e).length>24?`words`:`number`}against(e){return Ir(e)}};customElements.define(Wi.is,Wi);var Gi=class extends k{static get is(){return`tfperf-code`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        figure { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; margin: 8px 0 0; }
        figcaption {
          align-items: center; border-bottom: 1px solid var(--line); color: var(--ink-2); display: flex;
          font-size: 12.5px; justify-content: space-between; padding: 2px 4px 2px 12px;
        }
        pre { overflow-x: auto; padding: 8px 12px 10px; }
        .copy { border-radius: 4px; color: var(--accent); font-size: 12.5px; padding: 3px 8px; }
      </style>
      <figure>
        <figcaption>
          <span>[[framework]]</span>
          <button class="bare copy" on-click="onCopy" aria-label$="Copy the code for [[framework]]">[[done]]</button>
        </figcaption>
        <pre id="code" tabindex="0" aria-label$="[[framework]]">[[code]]</pre>
      </figure>
      <div class="unseen" role="status">[[said]]</div>
    `}static get properties(){return{code:{type:String,observer:`onCode`},framework:String,done:{type:String,value:`Copy`},said:{type:String,value:``}}}onCode(){this.done=`Copy`,this.said=``}async onCopy(){try{await navigator.clipboard.writeText(this.code),this.done=`Copied`}catch{let e=this.shadowRoot?.querySelector(`#code`);e&&window.getSelection()?.selectAllChildren(e),this.done=`Selected: press Ctrl+C`}this.said=this.done}};customElements.define(Gi.is,Gi);var Ki=class extends k{static get is(){return`tfperf-fix`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        h4 { font-size: 13px; margin: 0 0 2px; }
        ol { padding-left: 20px; }
        li { padding-left: 2px; }
        .frameworks { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 10px; }
        .framework { border-bottom: 2px solid transparent; color: var(--ink-2); font-size: 13px; }
        .framework:hover { color: var(--ink); }
        .framework[aria-pressed='true'] { border-bottom-color: var(--accent); color: var(--ink); }
        .links { display: flex; flex-wrap: wrap; gap: 2px 16px; list-style: none; margin-top: 8px; padding: 0; }
      </style>
      <h4 id="do">Do this</h4>
      <p hidden$="[[!fix.summary]]">[[fix.summary]]</p>
      <ol aria-labelledby="do" hidden$="[[!fix.actions.length]]">
        <template is="dom-repeat" items="[[fix.actions]]"><li>[[item]]</li></template>
      </ol>
      <template is="dom-if" if="[[snippet]]">
        <div class="frameworks" hidden$="[[alone(fix)]]">
          <template is="dom-repeat" items="[[fix.snippets]]">
            <button class="bare framework" aria-pressed$="[[isChosen(item, snippet)]]" on-click="onChoose">[[item.framework]]</button>
          </template>
        </div>
        <tfperf-code framework="[[snippet.framework]]" code="[[snippet.code]]"></tfperf-code>
      </template>
      <ul class="links note">
        <template is="dom-repeat" items="[[read(fix, guide, rule)]]">
          <li>
            <template is="dom-if" if="[[item.href]]">
              <a href$="[[item.href]]" target="_blank" rel="noopener">[[item.title]]</a>
            </template>
            <template is="dom-if" if="[[!item.href]]">[[item.title]]</template>
          </li>
        </template>
      </ul>
    `}static get properties(){return{fix:{type:Object,observer:`onFix`},guide:Object,rule:String,snippet:{type:Object,value:null}}}onFix(e){this.snippet=e?.snippets[0]??null}onChoose(e){this.snippet=e.model.item}alone(e){return(e?.snippets.length??0)<2}isChosen(e,t){return String(e===t)}read(e,t,n){if(!e||!t||!n)return[];let r=e.links.map(({title:e,url:t})=>({title:e,href:ee(t)}));return t.section&&r.unshift({title:`Guide: ${t.section}`,href:ee(t.url)}),r.unshift({title:`How this is measured`,href:f(document.baseURI,n)}),r}};customElements.define(Ki.is,Ki);var qi={critical:`●`,warning:`▲`,info:`i`},Ji=class extends k{static get is(){return`tfperf-severity`}static get template(){return O`
      ${j}
      <style>
        :host { display: inline-block; }
        span { border-radius: 10px; display: inline-block; font-size: 12.5px; font-weight: 600; line-height: 20px; padding: 0 9px; white-space: nowrap; }
        i { display: inline-block; font-size: 11px; margin-right: 5px; }
        .critical { background: var(--critical-ground); color: var(--critical); }
        .critical i, .warning i { font-style: normal; }
        .warning { background: var(--warning-ground); color: var(--warning); }
        .info { background: var(--info-ground); color: var(--info); }
        .info i { font-family: Georgia, serif; font-size: 13px; }
      </style>
      <span class$="[[severity]]"><i aria-hidden="true">[[icon(severity)]]</i>[[severity]]</span>
    `}static get properties(){return{severity:String}}icon(e){return qi[e]}};customElements.define(Ji.is,Ji);var Yi=14,Xi=20;function Zi(e){let t=new Map;for(let n of e)t.set(n.step,[...t.get(n.step)??[],n]);return[...t].map(([e,t])=>{let n=t.map(e=>e.first_kernel_ns);return{step:e,rows:t,apart_ns:Math.max(...n)-Math.min(...n)}}).sort((e,t)=>t.apart_ns-e.apart_ns)}function Qi(e){return[`${H(e.device)}: first kernel at ${F(e.first_kernel_ns)}`,`last kernel ends at ${F(e.last_kernel_ns)}`,e.first_launch_ns===null?``:`first launch at ${F(e.first_launch_ns)}`,e.idle_ns>0?`idle for ${F(e.idle_ns)} while another GPU runs`:``,e.wait_ns>0?`waits ${F(e.wait_ns)} in AllReduce for GPUs that started later`:``].filter(Boolean).join(`, `)}function $i(e,t){let n=Math.min(0,...e.map(e=>e.first_launch_ns??0)),r=Math.max(...e.map(e=>e.last_kernel_ns),n+1),i=e=>`${(e/(r-n)*100).toFixed(4)}%`,a=new ui,o=e.map((e,t)=>{let o=t*28+7,s=(e,t,r)=>a.fill(M(e),{x:i(t-n),y:o,width:i(Math.max(0,r-t)),height:Yi}),c=e.first_kernel_ns,l=e.last_kernel_ns,u=Math.max(0,Math.min(e.idle_ns,c)),d=Math.max(0,Math.min(e.idle_ns-u,r-l)),f=Math.max(0,Math.min(e.wait_ns,l-c)),ee=G(`g`,{},G(`rect`,{x:0,y:t*28,width:`100%`,height:28,class:`slot`}),s(`idle.stagger`,c-u,c),s(`compute`,c,l-f),s(`communication.wait`,l-f,l),s(`idle.stagger`,l,l+d));if(e.first_launch_ns!==null){let t=i(e.first_launch_ns-n);ee.append(G(`line`,{x1:t,x2:t,y1:o-3,y2:o+Yi+3,class:`launch`}))}return ee}),s=e.length*28,c=ai(r).map(e=>G(`text`,{x:i(e-n),y:s+14,class:`tick`},e===0?`0`:F(e)));return{drawing:G(`svg`,{width:`100%`,height:s+Xi,role:`img`,"aria-label":t},a.defs,...o,...c),groups:o}}var ea=e=>e===null?`not recorded`:F(e),ta=[{head:`GPU`,cell:({device:e})=>H(e)},{head:`First launch`,cell:e=>ea(e.first_launch_ns),kind:`number`},{head:`First kernel`,cell:e=>ea(e.first_kernel_ns),kind:`number`},{head:`Last kernel ends`,cell:e=>ea(e.last_kernel_ns),kind:`number`},{head:`Idle`,cell:e=>ea(e.idle_ns),kind:`number`},{head:`Waits in AllReduce`,cell:e=>ea(e.wait_ns),kind:`number`},{head:`Launched by thread`,cell:({thread:e})=>e||`not recorded`,kind:`name`}],na=class extends k{static get is(){return`tfperf-stagger`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; min-width: 0; }
        label { color: var(--ink-2); font-size: 13px; }
        select { background: var(--panel); border: 1px solid var(--control-line); border-radius: 6px; font-size: 13px; margin-left: 6px; max-width: 100%; padding: 2px 4px; }
        #chart { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 10px; margin-top: 8px; padding-right: 14px; position: relative; }
        .rows { list-style: none; padding: 0; }
        .rows li { align-items: center; display: flex; height: 28px; }
        .rows button, .rows span { font-size: 12.5px; }
        .rows button { color: var(--accent); }
        #drawing svg { display: block; overflow: visible; }
        #drawing.linked g { cursor: pointer; }
        .slot { fill: transparent; }
        g.on .slot { fill: var(--ground); }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .launch { stroke: var(--ink); stroke-width: 1.5; }
        .legend { font-size: 12.5px; gap: 2px 14px; margin-top: 4px; }
        p { margin-top: 6px; }
        tfperf-table { margin-top: 6px; }
      </style>
      <label hidden$="[[alone(steps)]]">Step
        <select id="step" on-change="onStep">
          <template is="dom-repeat" items="[[steps]]"><option value="[[item.step]]" selected="[[isShown(item, shown)]]">[[optionWords(item)]]</option></template>
        </select>
      </label>
      <div id="chart">
        <ul class="rows">
          <template is="dom-repeat" items="[[shown.rows]]">
            <li>
              <template is="dom-if" if="[[linked]]"><button class="bare" on-click="onRow" aria-label$="Show [[name(item)]] in the trace">[[name(item)]]</button></template>
              <template is="dom-if" if="[[!linked]]"><span>[[name(item)]]</span></template>
            </li>
          </template>
        </ul>
        <div id="drawing"></div>
      </div>
      <ul id="legend" class="legend"></ul>
      <p class="note">[[words]]</p>
      <p class="note">[[causes(stagger)]]</p>
      <tfperf-table heading="The numbers of this step" columns="[[columns]]" items="[[shown.rows]]" note="All times count from the first kernel of the step on any GPU; launches come before it."></tfperf-table>
    `}static get properties(){return{stagger:{type:Object,observer:`onStagger`},access:{type:Object,value:null},steps:{type:Array,value:()=>[]},shown:{type:Object,value:null},words:{type:String,computed:`wordsOf(stagger, shown)`},columns:{type:Array,value:()=>ta},linked:{type:Boolean,computed:`canLink(access, stagger)`}}}static get observers(){return[`draw(shown, words, linked)`]}onStagger(e){this.steps=Zi(e?.items??[]),this.shown=this.steps[0]??null}onStep(e){let t=Number(e.target.value);this.shown=this.steps.find(({step:e})=>e===t)??null}onRow(e){this.open(e.model.item)}isShown(e,t){return e===t}alone(e){return e.length<2}optionWords({step:e,apart_ns:t}){return`${e}, ${F(t)} apart`}canLink(e,t){return t!==null&&te(e,t.host)}name(e){return H(e.device)}wordsOf(e,t){if(!e||!t)return``;let n=[...t.rows].sort((e,t)=>e.first_kernel_ns-t.first_kernel_ns),[r,i]=[n[0],n.at(-1)];return!r||!i?``:`Step ${t.step} on ${e.host}: ${H(i.device)} starts ${F(t.apart_ns)} after ${H(r.device)}.`}causes(e){if(!e)return``;let{order:t,devices:n,one_thread:r,private_threads:i}=e;return[{fixed:`The order is the same in all steps: ${n.map(H).join(`, `)}.`,rotating:`The order changes from step to step.`,none:``}[t],{true:`One host thread makes the first launch for all of them.`,false:`Different host threads make their first launches.`,null:``}[`${r}`],i?`Each GPU has launch threads of its own.`:``].filter(Boolean).join(` `)}open({host:e,device:t,step:n,begin_ms:r,end_ms:i}){let a={host:e,device:t,step:n,begin_ms:r,end_ms:i,label:`start of ${H(t)}`,stream:null};J(this,`show-trace`,{place:a})}draw(e,t,n){if(!e)return;let r=e=>this.$[e];this.tip??=new Y(r(`chart`)),this.tip.hide();let{drawing:i,groups:a}=$i(e.rows,t);this.tip.explain(i,a,e.rows.map(Qi)),n&&e.rows.forEach((e,t)=>a[t]?.addEventListener(`click`,()=>this.open(e))),r(`drawing`).classList.toggle(`linked`,n),r(`drawing`).replaceChildren(i),r(`legend`).replaceChildren(...this.legend(e.rows))}legend(e){let t=document.createElement(`li`);return t.append(`| first launch on the host`),[...e.some(e=>e.first_launch_ns!==null)?[t]:[],...e.some(e=>e.idle_ns>0)?[K(M(`idle.stagger`),`idle, other GPUs run`)]:[],K(M(`compute`),`first to last kernel`),...e.some(e=>e.wait_ns>0)?[K(M(`communication.wait`),`of it waiting inside AllReduce`)]:[]]}};customElements.define(na.is,na);var ra=class extends k{static get is(){return`tfperf-finding`}static get template(){return O`
      ${j}
      <style>
        :host { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; display: block; }
        :host([nested]) { background: none; }
        h3 { font: inherit; }
        .head { align-items: baseline; border-radius: 10px; display: grid; gap: 2px 14px; grid-template-columns: 20px 88px 1fr auto 14px; padding: 12px 18px; width: 100%; }
        .head:hover { background: var(--ground); }
        :host([nested]) .head { grid-template-columns: 88px 1fr auto 14px; padding: 9px 14px; }
        .index { color: var(--ink-2); }
        .title { font-size: 15px; font-weight: 600; }
        :host([nested]) .title { font-size: 14px; }
        .saving { text-align: right; white-space: nowrap; }
        .saving b { color: var(--ink); font-size: 15px; }
        .chevron { align-self: center; border: solid var(--ink-2); border-width: 0 1.5px 1.5px 0; height: 7px; margin: -4px 2px 0; transform: rotate(45deg); width: 7px; }
        [aria-expanded='true'] .chevron { margin-top: 4px; transform: rotate(225deg); }
        .body { border-top: 1px solid var(--line); padding: 14px 18px 18px 52px; }
        :host([nested]) .body { padding: 12px 14px 14px; }
        .columns { display: grid; gap: 20px 28px; grid-template-columns: minmax(0, 1fr) minmax(0, 400px); }
        .columns.plain { grid-template-columns: minmax(0, 1fr); }
        .main > * + * { margin-top: 12px; }
        .side > * + * { margin-top: 14px; }
        .folded { margin-top: 18px; }
        .folded h4 { color: var(--ink-2); font-size: 13px; font-weight: 400; margin: 0 0 6px; }
        .folded tfperf-finding + tfperf-finding { margin-top: 6px; }
        @media (max-width: 999px) {
          .columns { grid-template-columns: minmax(0, 1fr); }
          .body { padding-left: 18px; }
          .head { grid-template-columns: 20px 88px 1fr 14px; }
          :host([nested]) .head { grid-template-columns: 88px 1fr 14px; }
          .saving { grid-column: 3; grid-row: 2; text-align: left; }
          :host([nested]) .saving { grid-column: 2; }
        }
      </style>
      <h3>
        <button class="bare head" aria-expanded$="[[text(expanded)]]" on-click="onToggle">
          <span class="index" hidden$="[[nested]]">[[index]]</span>
          <tfperf-severity severity="[[finding.severity]]"></tfperf-severity>
          <span class="title name">[[finding.title]]</span>
          <span class="saving note"><b>[[time(finding)]]</b>[[share(finding)]]</span>
          <span class="chevron" aria-hidden="true"></span>
        </button>
      </h3>
      <template is="dom-if" if="[[expanded]]" restamp>
        <div class="body">
          <div class$="columns [[layout(finding, staggered)]]">
            <div class="main">
              <p class="name">[[finding.summary]]</p>
              <tfperf-evidence items="[[finding.evidence]]" hidden$="[[!finding.evidence.length]]"></tfperf-evidence>
              <p class="note" hidden$="[[!basis(finding)]]">[[basis(finding)]]</p>
              <tfperf-fix fix="[[finding.fix]]" guide="[[finding.guide]]" rule="[[finding.id]]"></tfperf-fix>
            </div>
            <div class="side">
              <template is="dom-if" if="[[staggered]]">
                <tfperf-stagger stagger="[[stagger]]" access="[[access]]"></tfperf-stagger>
              </template>
              <template is="dom-if" if="[[finding.where.length]]">
                <tfperf-places run="[[run]]" places="[[finding.where]]" access="[[access]]" shown="[[isShown(traced)]]"></tfperf-places>
              </template>
            </div>
          </div>
          <template is="dom-if" if="[[traced]]" restamp>
            <tfperf-trace run="[[run]]" place="[[traced]]"></tfperf-trace>
          </template>
          <template is="dom-if" if="[[finding.explains.length]]">
            <div class="folded">
              <h4>This also explains</h4>
              <template is="dom-repeat" items="[[finding.explains]]">
                <tfperf-finding nested finding="[[item]]" run="[[run]]" access="[[access]]" stagger="[[stagger]]"></tfperf-finding>
              </template>
            </div>
          </template>
        </div>
      </template>
    `}static get properties(){return{finding:{type:Object,observer:`onFinding`},index:Number,run:String,access:{type:Object,value:null},stagger:{type:Object,value:null},nested:{type:Boolean,value:!1,reflectToAttribute:!0},expanded:{type:Boolean,value:!1},traced:{type:Object,value:null},staggered:{type:Boolean,computed:`hasStagger(finding, stagger)`}}}ready(){super.ready(),this.addEventListener(`show-trace`,e=>{e.stopPropagation(),this.traced=e.detail.place})}onFinding(){this.traced=null}onToggle(){this.expanded=!this.expanded,this.expanded||(this.traced=null),this.nested||J(this,`finding-toggle`,{id:this.finding.id,expanded:this.expanded})}hasStagger(e,t){return e?.id===`gpu-stagger`&&(t?.items.length??0)>0}layout(e,t){return t||e.where.length>0?``:`plain`}time(e){return e?.saving?Lr(e.saving):``}share(e){return e?`${e.saving?` per step · ${L(e.saving.ratio)} · `:``}${e.confidence} confidence`:``}basis(e){return e?.saving?.basis?`How the saving was estimated: ${e.saving.basis}`:``}isShown(e){return e!==null}text(e){return String(e)}};customElements.define(ra.is,ra);function ia(e){if(e.findings.some(({severity:e})=>e!==`info`))return null;if(e.passed.length===0)return{mark:`–`,sentence:`Nothing could be judged.`,note:`The list below says what is missing and how to record it.`};if(e.ledger===null){let t=e.devices.length===0?`GPU time`:`whole steps`;return{mark:`–`,sentence:`The checks that this profile allows found nothing that costs time.`,note:`${V(e.passed.length,`check`)} passed. What a step loses cannot be told without ${t}.`}}let t=e.findings.length>0?` What is listed here is worth less than that.`:``;return{mark:`✓`,sentence:`Nothing to fix above 5 % of a step.`,note:`${V(e.passed.length,`check`)} passed; “passed” below shows each with its number.${t}`}}function aa({findings:[e,t]}){return+(e?.where.length===0&&t!==void 0&&t.where.length>0)}var oa=class extends k{static get is(){return`tfperf-findings`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        tfperf-finding { margin-top: 8px; }
        .calm { align-items: baseline; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; display: flex; gap: 12px; margin-top: 8px; padding: 14px 18px; }
        .calm b { font-size: 15px; }
        .calm .mark { color: var(--good); font-weight: 700; }
        tfperf-checks { margin-top: 14px; }
      </style>
      <h2>What to change, most valuable first <small>[[tally(report)]]</small></h2>
      <div class="calm" hidden$="[[!calm]]">
        <span class="mark" aria-hidden="true">[[calm.mark]]</span>
        <p><b>[[calm.sentence]]</b><br><span class="note">[[calm.note]]</span></p>
      </div>
      <template is="dom-repeat" items="[[report.findings]]">
        <tfperf-finding finding="[[item]]" index="[[number(index)]]" run="[[report.run]]" access="[[access]]"
          stagger="[[report.stagger]]" expanded="[[isOpen(item, index)]]"></tfperf-finding>
      </template>
      <tfperf-checks report="[[report]]"></tfperf-checks>
    `}static get properties(){return{report:Object,access:{type:Object,value:null},opened:{type:String,value:null},calm:{type:Object,computed:`calmOf(report)`}}}calmOf(e){return e?ia(e):null}tally(e){let t=e.passed.length+e.findings.length;return t===0?``:`${e.findings.length} of ${V(t,`check`)} found something`}isOpen(e,t){return this.report.findings.some(e=>e.id===this.opened)?e.id===this.opened:t<=aa(this.report)&&ia(this.report)===null}number(e){return e+1}};customElements.define(oa.is,oa);var sa=8,ca=96,la=16;function ua(e,t){let n=Math.max(1,...e.map(({own_ns:e,others_ns:t})=>Math.max(e,t??0))),r=e=>sa+ca*(1-e/n),i=100/Math.max(e.length,1),a=e=>`${((e+.5)*i).toFixed(4)}%`,o=e.map(({own_ns:e},t)=>G(`g`,{},G(`rect`,{x:`${(t*i).toFixed(4)}%`,y:sa,width:`${i.toFixed(4)}%`,height:ca,class:`slot`}),G(`circle`,{cx:a(t),cy:r(e),r:3,class:`own-point`}))),s=(e,t)=>e.flatMap((n,i)=>{let o=e[i+1];return n===null||o==null?[]:[G(`line`,{x1:a(i),x2:a(i+1),y1:r(n),y2:r(o),class:t})]}),c=e.length<=la?e.keys():[0,e.length-1];return{drawing:G(`svg`,{width:`100%`,height:126,role:`img`,"aria-label":t},...ai(n).map(e=>G(`g`,{},G(`line`,{x1:0,x2:`100%`,y1:r(e),y2:r(e),class:`grid`}),G(`text`,{x:0,dx:-8,y:r(e)+4,class:`tick end`},e===0?`0`:F(e)))),...s(e.map(e=>e.others_ns),`others`),...s(e.map(e=>e.own_ns),`own`),...o,G(`text`,{x:0,dx:-8,y:120,class:`tick end`},`step`),...[...c].map(t=>G(`text`,{x:a(t),y:120,class:`tick`},String(e[t]?.step)))),groups:o}}function da(e,t,n,r=20){let i=new ui,a=e=>`${(e/t*100).toFixed(4)}%`,o=0,s=e.map(({look:e,ns:t})=>{let n=i.fill(e,{x:a(o),width:a(t),height:r});return n.append(G(`rect`,{x:a(o),width:1,height:r,style:`fill: var(--page)`})),o+=t,n});return{drawing:G(`svg`,{width:`100%`,height:r,role:`img`,"aria-label":n},i.defs,...s),segments:s}}function fa(e){return[...e].sort((e,t)=>Number(t.slow)-Number(e.slow))}function pa({own_ns:e,compute_ns:t,wait_ns:n}){let r=Math.min(t,e);return[{look:M(`compute`),ns:r},{look:{words:`other time of its own`,colour:`--account-unknown`,pattern:`dots`},ns:e-r},{look:M(`communication.wait`),ns:n}].filter(({ns:e})=>e>0)}function ma(e){return[`${e.host}${e.slow?` (slow)`:``}: ${F(e.own_ns)} of its own in a step`,`${F(e.compute_ns)} of it compute`,`${F(e.wait_ns)} waiting for others`,e.late_ns===null?``:`arrives ${F(e.late_ns)} after the first host`].filter(Boolean).join(`, `)}var ha=3,ga=4;function _a(e){let t=e.filter(e=>e.slow),n=e.map(({own_ns:e})=>e);if(t.length===0){let t=`A host’s own part of a step takes ${F(Math.min(...n))} to ${F(Math.max(...n))}.`;return e.length<ha?`${t} With fewer than three hosts none can be told to be the slow one.`:`${t} No host is slow.`}let r=t.slice(0,ga).map(({host:e})=>e),i=t.length>ga?[`${z(t.length-ga)} more`]:[],a=t.map(({late_ns:e})=>e).filter(e=>e!==null),o=e.filter(e=>!e.slow).map(({own_ns:e})=>e);return[`${va([...r,...i])} ${t.length===1?`is`:`are`} slow`,a.length>0?`: ${F(xa(a))} behind the first host at AllReduce. The`:`: the`,` own part of a step takes ${F(xa(t.map(({own_ns:e})=>e)))}`,o.length>0?`, against ${F(xa(o))} on the others (median).`:`.`].join(``)}function va(e){return e.length<2?e.join(``):`${e.slice(0,-1).join(`, `)} and ${e.at(-1)}`}function ya(e,t){let n=new Map;for(let r of t)if(r!==e)for(let{step:e,own_ns:t}of r.steps)n.set(e,[...n.get(e)??[],t]);return e.steps.map(({step:e,own_ns:t})=>{let r=n.get(e);return{step:e,own_ns:t,others_ns:r?xa(r):null}})}function ba({step:e,own_ns:t,others_ns:n}){return`Step ${e}: ${F(t)}, others ${n===null?`not recorded`:F(n)}`}function xa(e){let t=[...e].sort((e,t)=>e-t),n=t.length/2;return((t[Math.ceil(n)-1]??0)+(t[Math.floor(n)]??0))/2}function Sa({clock_source:e}){return{collectives:`ends of collectives`,"wall clock":`wall clocks`,"same host":`the same clock`,unknown:`not known: clocks could not be aligned`}[e]}var Ca=16,X=e=>e===null?`not known`:F(e),wa=[{head:`Host`,cell:({host:e,slow:t})=>`${e}${t?` (slow)`:``}`,kind:`name`},{head:`GPUs`,cell:e=>z(e.gpus_count),kind:`number`},{head:`Steps`,cell:e=>z(e.steps_count),kind:`number`},{head:`Step`,cell:e=>X(e.step_ns),kind:`number`},{head:`Own`,cell:e=>X(e.own_ns),kind:`number`},{head:`Compute`,cell:e=>X(e.compute_ns),kind:`number`},{head:`Waits for input`,cell:e=>X(e.input_ns),kind:`number`},{head:`Waits for others`,cell:e=>X(e.wait_ns),kind:`number`},{head:`Arrives late by`,cell:e=>X(e.late_ns),kind:`number`},{head:`Clock off by`,cell:e=>X(e.clock_offset_ns),kind:`number`},{head:`Known to ±`,cell:e=>X(e.clock_uncertainty_ns),kind:`number`},{head:`Aligned by`,cell:Sa}],Ta=[{head:`Step`,cell:({step:e})=>String(e)},{head:`Own`,cell:({own_ns:e})=>X(e),kind:`number`},{head:`Median of the others`,cell:({others_ns:e})=>X(e),kind:`number`}],Ea=class extends k{static get is(){return`tfperf-hosts`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        #chart { margin-top: 8px; position: relative; }
        #rows { list-style: none; padding: 0; }
        #rows.many { border: 1px solid var(--line); border-radius: 6px; max-height: 304px; overflow-y: auto; padding: 6px 8px; }
        #rows li { align-items: center; display: grid; gap: 12px; grid-template-columns: minmax(120px, 280px) minmax(0, 1fr) 66px; height: 18px; }
        #rows button { border-radius: 3px; display: flex; font-size: 12.5px; gap: 6px; line-height: 18px; min-width: 0; padding: 0 4px; }
        #rows button[aria-pressed='true'] { background: var(--ground); box-shadow: inset 3px 0 var(--accent); padding-left: 8px; }
        #rows .host { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        #rows .slow { color: var(--warning); flex: none; font-weight: 600; }
        #rows svg { border-radius: 3px; display: block; overflow: hidden; }
        #rows .total { font-size: 12.5px; font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; }
        .only { margin-top: 8px; }
        h3 { font-size: 13px; font-weight: 600; margin-top: 16px; }
        #steps { margin-top: 6px; padding: 0 14px 0 60px; position: relative; }
        #steps svg { display: block; overflow: visible; }
        .slot { fill: transparent; }
        g.on .slot { fill: var(--ground); }
        .grid { stroke: var(--line); }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .tick.end { text-anchor: end; }
        .own { stroke: var(--accent); stroke-width: 2; }
        .own-point { fill: var(--accent); }
        .others { stroke: var(--ink-2); stroke-dasharray: 5 4; stroke-width: 1.5; }
        .steps-legend { padding-left: 60px; }
        .steps-legend i { border-top: 2px solid var(--accent); width: 18px; }
        .steps-legend i.dashed { border-top: 2px dashed var(--ink-2); }
        .tables { margin-top: 8px; }
        tfperf-table + tfperf-table { margin-top: 4px; }
      </style>
      <h2>Hosts <small>[[subtitle(hosts)]]</small></h2>
      <p class="name">[[sentence(hosts)]]</p>
      <button class="button only" hidden$="[[!filterable(hosts)]]" aria-pressed$="[[text(onlySlow)]]" on-click="onOnly">[[onlyLabel(hosts)]]</button>
      <div id="chart"><ul id="rows" aria-label="Hosts: own time and waiting in an average step"></ul></div>
      <ul id="legend" class="legend" aria-label="Parts of a step"></ul>
      <div hidden$="[[!points.length]]">
        <h3 class="name">Own time of [[chosen.host]] step by step</h3>
        <div id="steps"></div>
        <ul class="legend steps-legend" aria-label="Lines"><li><i></i><span class="name">[[chosen.host]]</span></li><li><i class="dashed"></i>median of the other hosts</li></ul>
      </div>
      <div class="tables">
        <tfperf-table heading="Each host" columns="[[columns]]" items="[[hosts]]" note="“Own”: the step without waiting in AllReduce. “Arrives late by”: after the first host, at the AllReduce calls that join hosts; median. “Clock off by”: against the clock of the first host, found by what “Aligned by” names: all GPUs leave an AllReduce together."></tfperf-table>
        <tfperf-table heading="Each step of [[chosen.host]]" columns="[[pointColumns]]" items="[[points]]"></tfperf-table>
      </div>
    `}static get properties(){return{hosts:{type:Array,observer:`onHosts`},chosen:{type:Object,value:null},points:{type:Array,value:()=>[]},onlySlow:{type:Boolean,value:!1},columns:{type:Array,value:()=>wa},pointColumns:{type:Array,value:()=>Ta}}}onHosts(e){this.onlySlow=!1,this.child(`legend`).replaceChildren(...[...new Map(e.flatMap(pa).map(({look:e})=>[e.words,e])).values()].map(e=>K(e,e.colour===M(`communication.wait`).colour?`waiting for other hosts and GPUs`:e.words))),this.drawRows();let[t]=[...e].sort((e,t)=>t.own_ns-e.own_ns);this.choose(fa(e).find(({slow:e})=>e)??t??null)}onOnly(){this.onlySlow=!this.onlySlow,this.drawRows()}subtitle(e){let t=Math.max(0,...e.map(({steps_count:e})=>e));return`${V(e.length,`host`)}, average of the ${V(t,`step`)} that all of them recorded whole`}sentence(e){return e.length>0?_a(e):``}filterable(e){return e.length>Ca&&e.some(({slow:e})=>e)}onlyLabel(e){return`Only slow hosts (${z(e.filter(({slow:e})=>e).length)})`}text(e){return String(e)}child(e){return this.$[e]}drawRows(){this.tip??=new Y(this.child(`chart`)),this.tip.hide();let e=fa(this.hosts).filter(({slow:e})=>e||!this.onlySlow),t=Math.max(1,...this.hosts.map(({own_ns:e,wait_ns:t})=>e+t));this.child(`rows`).classList.toggle(`many`,e.length>Ca),this.child(`rows`).replaceChildren(...e.map(e=>this.row(e,t))),this.markChosen()}row(e,t){let n=ma(e),{drawing:r}=da(pa(e),t,n,12),i=document.createElement(`li`),a=document.createElement(`button`);return a.className=`bare`,a.dataset.host=e.host,a.append(Da(`host`,e.host)),e.slow&&a.append(Da(`slow`,`▲ slow`)),a.addEventListener(`click`,()=>this.choose(e)),a.addEventListener(`focus`,()=>this.tip?.show(i,n)),a.addEventListener(`blur`,()=>this.tip?.hide()),i.addEventListener(`pointerenter`,()=>this.tip?.show(i,n)),i.addEventListener(`pointerleave`,()=>this.tip?.hide()),i.append(a,r,Da(`total`,F(e.own_ns))),i}choose(e){if(this.chosen=e,this.points=e?ya(e,this.hosts):[],this.markChosen(),!e||this.points.length===0)return;let t=this.child(`steps`),n=`Own time of ${e.host} and the median of the other hosts: ${this.points.map(ba).join(`; `)}`,{drawing:r,groups:i}=ua(this.points,n);t.replaceChildren(r),new Y(t).explain(r,i,this.points.map(ba))}markChosen(){for(let e of this.child(`rows`).querySelectorAll(`button`))e.setAttribute(`aria-pressed`,String(e.dataset.host===this.chosen?.host))}};function Da(e,t){let n=document.createElement(`span`);return n.className=e,n.textContent=t,n}customElements.define(Ea.is,Ea);function Oa({iterators:e,pipelines:t}){let n=t[0];return n?n.iterators.flatMap(t=>e[t]??[]):e}function ka(e){let t=new Set(Oa(e));return e.iterators.filter(e=>!t.has(e))}function Aa(e){let t=e.find(({stage:e})=>e===`transfer`);return e.map(e=>[e,t&&e.pipeline!==t.pipeline?t.depth+1+e.depth:e.depth])}var ja=[{head:`Works per batch`,cell:e=>F(e.batch_ns),kind:`number`},{head:`Of the wait`,cell:e=>L(e.wait_ratio),kind:`number`},{head:`At once`,cell:Ra,kind:`number`},{head:`Ready`,cell:za,kind:`number`},{head:`Calls`,cell:e=>z(e.calls_count),kind:`number`},{head:`Above 50 µs`,cell:e=>z(e.slow_calls_count),kind:`number`},{head:`Own`,cell:e=>F(e.self_ns),kind:`number`},{head:`Total`,cell:e=>F(e.total_ns),kind:`number`},{head:`Element`,cell:e=>e.element_bytes===null?``:R(e.element_bytes),kind:`number`}],Ma=[{head:`Host`,cell:({host:e})=>e,kind:`name`},{head:`Iterator`,cell:({name:e})=>e,kind:`name`},{head:`Does`,cell:({stage:e})=>e},...ja],Na=class extends k{static get is(){return`tfperf-input`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        .scroll { margin-top: 8px; max-height: 480px; }
        table { min-width: 900px; }
        th, td { padding-right: 9px; }
        th { background: var(--page); position: sticky; top: 0; }
        td.stage { box-shadow: inset 3px 0 transparent; min-width: 230px; padding-left: 10px; }
        th.stage { padding-left: 10px; }
        tr.path td.stage { box-shadow: inset 3px 0 var(--account-input); }
        tr.bottleneck td { background: var(--warning-ground); }
        .code { font: 12.5px/1.5 ui-monospace, 'Roboto Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace; overflow-wrap: anywhere; }
        .badge { background: var(--warning); border-radius: 4px; color: var(--page); font-size: 12px; font-weight: 600; margin-left: 8px; padding: 0 6px; white-space: nowrap; }
        .legend i { border-left: 3px solid var(--account-input); height: 14px; }
        tfperf-table { margin-top: 8px; }
      </style>
      <h2>Input pipeline <small class="name">[[subtitle(input)]]</small></h2>
      <p class="name">[[input.sentence]]</p>
      <div id="tree" class="scroll" tabindex="0" role="group" aria-label="Stages of the input pipeline, from the step to the files"></div>
      <ul class="legend" hidden$="[[!input.critical_path.length]]"><li><i></i>on the critical path of the slowest request</li></ul>
      <tfperf-table heading="[[othersHeading(others)]]" columns="[[columns]]" items="[[others]]"></tfperf-table>
    `}static get properties(){return{input:Object,columns:{type:Array,value:()=>Ma},others:{type:Array,computed:`othersOf(input)`}}}static get observers(){return[`draw(input)`]}ready(){super.ready(),this.draw(this.input)}draw(e){let t=e?Oa(e):[];this.$?.tree?.replaceChildren(...t.length?[Pa(t)]:[])}othersOf(e){return e?ka(e):[]}othersHeading(e){return`Other pipelines: ${V(e.length,`iterator`)}`}subtitle(e){let t=e?.pipelines[0];if(!t)return``;let n=new Set(e.iterators.map(({host:e})=>e)),r=t.batch_bytes===null?[]:[`${R(t.batch_bytes)} a batch`];return[...n.size>1?[t.host]:[],...r,`slowest request ${F(t.slowest_ns)}`].join(` · `)}};function Pa(e){let t=document.createElement(`table`),n=t.createTHead().insertRow();for(let[e,t]of[[`Stage`,`stage`],[`Does`,``],...ja.map(({head:e,kind:t})=>[e,t??``])]){let r=document.createElement(`th`);r.scope=`col`,r.className=t??``,r.append(e??``),n.append(r)}let r=t.createTBody();for(let[t,n]of Aa(e)){let e=r.insertRow();e.className=[t.on_critical_path?`path`:``,t.is_bottleneck?`bottleneck`:``].join(` `).trim();let i=e.insertCell();if(i.className=`stage`,i.style.paddingLeft=`${10+12*Math.min(n,12)}px`,i.title=t.name,i.append(Fa(`level ${n+1}${t.on_critical_path?`, on the critical path`:``}: `),Ia(t.written)),t.is_bottleneck){let e=document.createElement(`span`);e.className=`badge`,e.textContent=`bottleneck`,i.append(e)}e.insertCell().append(La(t));for(let n of ja){let r=e.insertCell();r.className=`number`,r.append(n.cell(t,0))}}return t}function Fa(e){let t=document.createElement(`span`);return t.className=`unseen`,t.textContent=e,t}function Ia(e){let t=document.createElement(`span`);return t.className=`code`,t.textContent=e,t}function La({stage:e,filtered_ratio:t}){return t?`${e}, drops ${L(t)}`:e}function Ra({at_once:e,parallelism:t,autotune:n}){let r=t===null?z(e):`${z(e)} of ${z(t)}`;return n&&t!==null?`${r}, tuned`:r}function za({buffered_elements:e,buffer_limit:t}){return e===null?t===null?``:`of ${z(t)}`:t===null?z(e):`${z(e)} of ${z(t)}`}customElements.define(Na.is,Na);var Ba=16,Va=.005,Ha=class extends k{static get is(){return`tfperf-ledger`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        #chart { margin-top: 8px; position: relative; }
        .row { align-items: center; display: grid; gap: 12px; grid-template-columns: var(--label-width, 56px) 1fr 66px; margin-top: 7px; }
        .device { display: flex; font-size: 13px; gap: 6px; white-space: nowrap; }
        .host { color: var(--ink-2); overflow: hidden; text-overflow: ellipsis; }
        .total { font-size: 13px; font-variant-numeric: tabular-nums; text-align: right; }
        .row svg { border-radius: 4px; display: block; overflow: hidden; }
        .row g.on { stroke: var(--ink); stroke-width: 2; }
        .idle { margin-top: 8px; }
        .why { margin: 8px 0 0; padding-left: 18px; }
        details { margin-top: 10px; }
        td.inner { padding-left: 18px; color: var(--ink-2); }
        tr.sum td { font-weight: 600; }
        .more { margin-top: 10px; }
        th:first-child, td:first-child { background: var(--page); left: 0; position: sticky; }
        th.number { min-width: 64px; white-space: normal; }
      </style>
      <h2>Where a step goes <small>[[subtitle]]</small></h2>
      <p class="note" hidden$="[[!absence]]">[[absence]]</p>
      <div hidden$="[[!report.ledger]]">
        <div id="chart"><div id="rows"></div></div>
        <button class="button more" hidden$="[[!hiddenBars]]" on-click="onMore">[[hiddenBars]]</button>
        <p class="note idle name" hidden$="[[!idleDevices]]">[[idleDevices]]</p>
        <ul id="legend" class="legend" aria-label="Shares of an average step"></ul>
        <p class="note idle" hidden$="[[!overlap]]">[[overlap]]</p>
        <ul id="why" class="note why" aria-label="Why the GPUs are idle" hidden$="[[!why.length]]">
          <template is="dom-repeat" items="[[why]]"><li class="name">[[item]]</li></template>
        </ul>
        <details on-toggle="onTable">
          <summary>The numbers as a table</summary>
          <template is="dom-if" if="[[table]]">
            <div class="scroll" tabindex="0" aria-label="The numbers as a table">
              <table>
                <thead><tr><th>Account</th><template is="dom-repeat" items="[[columns]]"><th class="number">[[item]]</th></template></tr></thead>
                <tbody>
                  <template is="dom-repeat" items="[[table]]">
                    <tr class$="[[item.inner]]">
                      <td class$="[[item.inner]]">[[item.words]]</td>
                      <template is="dom-repeat" items="[[item.cells]]" as="cell"><td class="number">[[cell]]</td></template>
                    </tr>
                  </template>
                </tbody>
              </table>
            </div>
          </template>
        </details>
      </div>
    `}static get properties(){return{report:{type:Object,observer:`onReport`},subtitle:{type:String,value:``},absence:{type:String,value:``},idleDevices:{type:String,value:``},overlap:{type:String,value:``},hiddenBars:{type:String,value:``},why:{type:Array,value:()=>[]},columns:{type:Array,value:()=>[]},table:{type:Array,value:null}}}onReport(e){this.table=null;let t=this.shadowRoot?.querySelector(`details`);t&&(t.open=!1);let{ledger:n}=e;if(this.absence=n?``:qa(e),this.subtitle=``,!n)return;let r=n.devices.length===1?``:`one row a GPU, `;this.subtitle=`${r}average of ${V(e.steps.count,`step`)}`,this.idleDevices=Ja(e.devices,n),this.overlap=Xa(n),this.why=Ya(e),this.drawRows(n,Ba),this.child(`legend`).replaceChildren(...kr(n.accounts).filter(({id:e})=>Ua(e,n)).map(({id:e,ratio:t})=>K(M(e),`${M(e).words} ${L(t)}`)))}onMore(){this.report.ledger&&this.drawRows(this.report.ledger,1/0)}onTable(e){let{ledger:t,hosts:n}=this.report;if(!e.target.open||!t)return;let{devices:r}=t,i=n.length>1;this.columns=[`average`,`share`,...r.map(e=>Ga(e,i))];let a=(e,t)=>({words:M(e.id).words,inner:t,cells:[F(e.ns),L(e.ratio),...r.map(({accounts:n})=>{let r=n.find(({id:t})=>t===e.id);return t?``:F(r?.ns??0)})]});this.table=kr(t.accounts).flatMap(e=>[a(e,``),...e.id===`compute`?kr(t.compute).map(e=>a(e,`inner`)):[]]),this.table.push({words:`step`,inner:`sum`,cells:[F(t.step_ns),L(1),...r.map(e=>F(e.step_ns))]})}child(e){return this.$[e]}drawRows(e,t){let n=Math.max(...e.devices.map(({step_ns:e})=>e),1),r=this.report.hosts.length>1,i=e.devices.slice(0,t),a=e.devices.length-i.length;this.hiddenBars=a>0?`Show all ${V(e.devices.length,`GPU`)}`:``,this.tip??=new Y(this.child(`chart`)),this.tip.hide();let o=Math.max(...i.map(e=>Ga(e,r).length));this.style.setProperty(`--label-width`,r?`min(220px, ${o}ch)`:`56px`),this.child(`rows`).replaceChildren(...i.map(e=>this.row(e,n,r)))}row(e,t,n){let r=kr(e.accounts),i=Ga(e,n),a=r.map(e=>Ka(e)),{drawing:o,segments:s}=da(r.map(({id:e,ns:t})=>({look:M(e),ns:t})),t,`${i}, ${F(e.step_ns)}: ${a.join(`; `)}`);this.tip?.explain(o,s,a.map(e=>`${i}: ${e}`));let c=document.createElement(`div`);c.className=`row`;let l=Wa(`device`,``);return l.title=`${e.host} ${H(e.device)}`,n&&l.append(Wa(`host`,e.host)),l.append(Wa(``,H(e.device))),c.append(l,o,Wa(`total`,F(e.step_ns))),c}};function Ua(e,{devices:t}){return t.some(({accounts:t})=>t.some(t=>t.id===e&&t.ratio>=Va))}function Wa(e,t){let n=document.createElement(`span`);return n.className=e,n.textContent=t,n}function Ga(e,t){return t?`${e.host} ${H(e.device)}`:H(e.device)}function Ka({id:e,ns:t,ratio:n}){return`${M(e).words}, ${F(t)}, ${L(n)} of the step`}function qa({devices:e,steps:t}){return e.length===0?`No GPU was recorded in this profile, so there is no GPU time to divide. What the host shows is judged below.`:t.count===0?`No complete step can be told in this profile, so GPU time cannot be divided among steps.`:`Nothing was recorded on the GPUs during the steps of this profile.`}function Ja(e,t){let n=new Set(t.devices.map(({host:e,device:t})=>`${e} ${t}`)),r=e.filter(({host:e,device:t})=>!n.has(`${e} ${t}`));if(r.length===0)return``;let i=new Set(e.map(({host:e})=>e)).size>1,a=r.map(e=>Ga(e,i));return`${a.slice(0,24).join(`, `)}${a.length>24?` …`:``}: ran no kernel.`}function Ya({idle:e}){return e.filter(({sentence:e})=>e).map(({account:e,ns:t,sentence:n})=>`${F(t)} ${M(e).words}: ${n}`)}function Xa(e){let{hidden_communication_ns:t,hidden_copy_ns:n}=e,r=[t>0?`${F(t)} of communication`:``,n>0?`${F(n)} of copies`:``].filter(Boolean);return r.length===0?``:`Hidden under compute, so they cost nothing: ${r.join(` and `)} per step.`}customElements.define(Ha.is,Ha);var Za=18,Qa=130,$a=1e3,eo=6;function to(e,t){let n=e.points,r=e=>e/Math.max(n.length,1),i=t=>Za+Qa*(1-t/e.capacity_bytes),a=n.map((e,t)=>`${t===0?`M`:`H`}${(r(t)*$a).toFixed(2)}${t===0?` ${i(e.used_bytes).toFixed(2)}`:`V${i(e.used_bytes).toFixed(2)}`}`).join(``),o=G(`svg`,{width:`100%`,height:148,viewBox:`0 0 ${$a} 148`,preserveAspectRatio:`none`},G(`path`,{d:`${a}H${$a}V148H0Z`,class:`area`}),G(`path`,{d:`${a}H${$a}`,class:`line`,"vector-effect":`non-scaling-stroke`})),s=e=>`${(100*e).toFixed(3)}%`,c=n.map((e,t)=>G(`g`,{},G(`rect`,{x:s(r(t)),y:Za,width:s(r(1)),height:Qa,class:`slot`}),G(`circle`,{cx:s(r(t)),cy:i(e.used_bytes),r:3,class:`point`}))),l=r(Math.max(0,n.findIndex(({used_bytes:t})=>t===e.recorded_peak_bytes))),u=i(e.before_bytes),d=n.length<eo?n.keys():Array.from({length:eo},(e,t)=>Math.floor(t*n.length/eo));return{drawing:G(`svg`,{width:`100%`,height:170,role:`img`,"aria-label":t},...ai(e.capacity_bytes).map(e=>G(`g`,{},G(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`grid`}),G(`text`,{x:0,dx:-8,y:i(e)+4,class:`tick end`},e===0?`0`:R(e)))),o,...e.before_bytes>0?[G(`line`,{x1:0,x2:`100%`,y1:u,y2:u,class:`before`})]:[],G(`line`,{x1:0,x2:`100%`,y1:Za,y2:Za,class:`capacity`}),G(`text`,{x:`100%`,y:12,class:`tick end`},`capacity ${R(e.capacity_bytes)}`),G(`circle`,{cx:s(l),cy:i(e.recorded_peak_bytes),r:4,class:`peak`}),G(`text`,{x:s(l),dx:l>.5?-8:8,y:Math.max(30,i(e.recorded_peak_bytes)-6),class:l>.5?`mark end`:`mark`},`peak ${R(e.recorded_peak_bytes)}`),...c,...[...d].map(e=>G(`text`,{x:s(r(e)),y:164,class:`tick start`},I(n[e]?.at_ms??0)))),groups:c,points:n}}var no={forward:[`forward pass`,`solid`],loss:[`loss`,`cross`],backward:[`backward pass`,`rising`],optimizer:[`optimizer`,`bars`]};function Z(e){let[t,n]=no[e]??[`not told by its name`,`dots`];return{words:t,pattern:n,colour:e in no?`--account-compute`:`--account-unknown`}}function ro(e){return e in no?Z(e).words:``}function io({id:e,ns:t,ratio:n}){return`${Z(e).words}, ${F(t)}, ${L(n)} of compute`}function ao({items:e,reason:t}){if(!e)return`Compute cannot be divided into forward and backward pass. ${t}`;let[n,r]=[...e].filter(({id:e})=>e in no).sort((e,t)=>t.ns-e.ns);if(!n||n.ns===0)return``;let i=r&&r.ns>0?`, the ${Z(r.id).words} ${F(r.ns)} (${L(r.ratio)})`:``;return`Of the compute time of a step, the ${Z(n.id).words} takes ${F(n.ns)} (${L(n.ratio)})${i}.`}function oo(e,t=72){if(e.length<=t)return e;let n=Math.ceil(.35*(t-1));return`${e.slice(0,n)}…${e.slice(e.length-(t-1-n))}`}function so(e,{phase:t,text:n},r){let i=n.toLowerCase().split(/\s+/).filter(Boolean);return e.filter(e=>{if(t!==``&&e.phase!==t)return!1;let n=r(e).join(`
`).toLowerCase();return i.every(e=>n.includes(e))})}function co({rows:e,types:t}){let[n]=e;if(!n)return``;let r=t.filter(({type:e})=>e!==``).slice(0,3).map(({type:e,phase:t,ns:n,ratio:r})=>{let i=ro(t);return`${e}${i?` (${i})`:``} ${F(n)}, ${L(r)}`}),i=`${oo(n.name||`Work without an op`)} takes the most of a single op: ${F(n.ns)} (${L(n.ratio)}).`;return r.length>0?`Most kernel time by type of op: ${r.join(`; `)}. ${i}`:i}function lo({tensor_cores:e,eligible:t}){return e?`used`:t===null?`not used`:t?`not used, could be`:`not for this op`}var uo=10;function fo({batch_growth:e},t,n){let r=L(t.peak_bytes/t.capacity_bytes),i=t.peak_bytes>t.recorded_peak_bytes?` (before the recording; during it ${R(t.recorded_peak_bytes)})`:``,a=`${H(t.device)} uses ${R(t.peak_bytes)} of ${R(t.capacity_bytes)} at the peak, ${r}${i}.`,[o]=t.alive,s=o?` Of what was allocated since then, ${oo(o.op||`an op that is not named`)} holds the most: ${R(o.size_bytes)}.`:``,c=` ${R(t.before_bytes)} were there before the recording, as weights and optimizer state are.`;return!n||e===null||e<=1?a+c+s:`${a}${c}${s} By proportion a batch ${e>uo?`more than ${uo} times`:B(e,`times`).replace(`×`,`times`)} as large fits, with a tenth left free; convergence may change.`}function po(e){let t=e.capacity_bytes-e.recorded_peak_bytes;return`${e.fragmentation_ratio===null||e.free_block_bytes===null?`How broken up the free memory is was not recorded.`:`Of the ${R(t)} free at the recorded peak, ${R(e.free_block_bytes)} are in one piece (fragmentation ${L(e.fragmentation_ratio)}).`}${{address:``,order:` Blocks are matched by size and order: addresses were not recorded.`,none:` What is alive cannot be told: sizes were not recorded.`}[e.matched]}`}function mo({at_ms:e,used_bytes:t}){return`${R(t)} in use at ${I(e)}`}var ho=[{head:`Op`,cell:({op:e})=>e||`not named`,kind:`name`,value:({op:e})=>e},{head:`In use`,cell:({size_bytes:e})=>R(e),kind:`number`,value:({size_bytes:e})=>e},{head:`Blocks`,cell:({count:e})=>e>0?z(e):``,kind:`number`,value:({count:e})=>e}],go=[{head:`GPU`,cell:({host:e,device:t})=>`${e} ${H(t)}`,kind:`name`,value:({host:e,device:t})=>`${e} ${t}`},{head:`Peak`,cell:({peak_bytes:e})=>R(e),kind:`number`,value:({peak_bytes:e})=>e},{head:`Capacity`,cell:({capacity_bytes:e})=>R(e),kind:`number`,value:({capacity_bytes:e})=>e},{head:`Share`,cell:e=>L(e.peak_bytes/e.capacity_bytes),kind:`number`,value:e=>e.peak_bytes/e.capacity_bytes},{head:`Least in use`,cell:({lasting_bytes:e})=>R(e),kind:`number`,value:({lasting_bytes:e})=>e},{head:`Largest free block at the peak`,cell:({free_block_bytes:e})=>e===null?`not recorded`:R(e),kind:`number`,value:({free_block_bytes:e})=>e}],_o=class extends k{static get is(){return`tfperf-memory`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        select { background: var(--page); border: 1px solid var(--control-line); border-radius: 6px; padding: 4px 8px; }
        label { align-items: center; display: flex; font-size: 13px; gap: 8px; margin: 6px 0; }
        #chart { margin-top: 8px; padding: 0 4px 0 60px; position: relative; }
        #chart svg { display: block; overflow: visible; }
        .area { fill: var(--account-copy); opacity: 0.25; }
        .line { fill: none; stroke: var(--account-copy); stroke-width: 1.5; }
        .grid { stroke: var(--line); }
        .capacity { stroke: var(--ink); stroke-width: 1.2; }
        .before { stroke: var(--ink-2); stroke-dasharray: 5 4; }
        .peak { fill: var(--critical); }
        .mark { fill: var(--ink); font-size: 12px; paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .tick.start { text-anchor: start; }
        .end { text-anchor: end; }
        .slot, .point { fill: transparent; }
        g.on .point { fill: var(--ink); }
        .legend { padding-left: 60px; }
        .legend i { border-top: 2px solid var(--account-copy); width: 18px; }
        .legend i.dashed { border-top: 2px dashed var(--ink-2); }
        .tables { margin-top: 8px; }
        tfperf-table + tfperf-table { margin-top: 4px; }
      </style>
      <h2>GPU memory <small>[[subtitle(memory)]]</small></h2>
      <p class="name">[[sentence(memory, gpu)]]</p>
      <label hidden$="[[!several(memory)]]">GPU
        <select id="choice" on-change="onChoice">
          <template is="dom-repeat" items="[[memory.devices]]"><option value="[[index]]">[[label(item, memory)]]</option></template>
        </select>
      </label>
      <div id="chart"></div>
      <ul class="legend" aria-label="Lines"><li><i></i>in use</li><li hidden$="[[!gpu.before_bytes]]"><i class="dashed"></i>allocated before the recording and still in use at the peak</li></ul>
      <p class="note">Events of the allocator in their order; their times, below the chart, are not to scale. TensorFlow allocates when it launches work, ahead of the GPU. [[note(gpu)]]</p>
      <div class="tables">
        <tfperf-table heading="What is in use at the peak" columns="[[columns.alive]]" items="[[alive(gpu)]]" note="[[capped(gpu)]]"></tfperf-table>
        <tfperf-table heading="Each GPU" columns="[[columns.devices]]" items="[[memory.devices]]"></tfperf-table>
      </div>
    `}static get properties(){return{memory:{type:Object,observer:`onMemory`},gpu:{type:Object,value:null,observer:`onGpu`},columns:{type:Object,value:()=>({alive:ho,devices:go})}}}onMemory(e){this.$.choice.value=`0`,this.gpu=e?.devices[0]??null}onChoice(){this.gpu=this.memory?.devices[Number(this.$.choice.value)]??null}onGpu(e){if(!e||!this.memory)return;let{drawing:t,groups:n,points:r}=to(e,`Memory in use over time. ${this.sentence(this.memory,e)}`),i=this.$.chart;i.replaceChildren(t),new Y(i).explain(t,n,r.map(mo))}subtitle(e){return e?`${V(e.devices.length,`GPU`)}, as TensorFlow’s allocator recorded it`:``}sentence(e,t){return e&&t?fo(e,t,t===e.devices[0]):``}several(e){return(e?.devices.length??0)>1}label({host:e,device:t},n){return new Set(n.devices.map(e=>e.host)).size>1?`${e} ${H(t)}`:H(t)}note(e){return e?po(e):``}alive(e){if(!e)return[];let t={op:`allocated before the recording`,size_bytes:e.before_bytes,count:0};return e.before_bytes>0?[t,...e.alive]:e.alive}capped(e){return e&&e.alive_total>e.alive.length?`The ${z(e.alive.length)} ops that hold the most, of ${z(e.alive_total)}.`:``}};customElements.define(_o.is,_o);var vo=`import tensorflow as tf

tensorboard = tf.keras.callbacks.TensorBoard("LOGDIR", profile_batch=(10, 20))
model.fit(data, epochs=1, callbacks=[tensorboard])`,yo=`import tensorflow as tf

for step in range(30):
    if step == 10:
        tf.profiler.experimental.start("LOGDIR")
    with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        batch = next(batches)
        train_step(batch)
tf.profiler.experimental.stop()`,bo=class extends k{static get is(){return`tfperf-no-profiles`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; max-width: 760px; padding: 40px 0; }
        h1 { font-size: 26px; font-weight: 400; line-height: 1.3; }
        p { margin-top: 8px; }
        tfperf-code { margin-top: 12px; }
        .button { margin-top: 18px; }
      </style>
      <h1>No profiles in this log directory yet</h1>
      <p>Record ten or so steps after the first ones, which trace and compile. Write them to the directory that TensorBoard reads (LOGDIR below).</p>
      <tfperf-code framework="Keras" code="[[keras]]"></tfperf-code>
      <tfperf-code framework="Custom training loop" code="[[loop]]"></tfperf-code>
      <p class="note">The batch is fetched inside the Trace block, so that waiting for input counts as part of the step.</p>
      <button class="button accent" on-click="onRetry">Look again</button>
    `}static get properties(){return{keras:{type:String,value:vo},loop:{type:String,value:yo}}}onRetry(){J(this,`retry`)}};customElements.define(bo.is,bo);function xo(e){let t=oo(e);if(t===e)return e||`not named`;let n=document.createElement(`span`);return n.textContent=t,n.title=e,n.className=`elided`,n.tabIndex=0,n.addEventListener(`focus`,()=>n.textContent=e),n.addEventListener(`blur`,()=>n.textContent=t),n}function Q(e,t,n){return{head:e,cell:e=>{let r=t(e);return r===null?``:n(r)},value:t,kind:`number`}}function $(e,t){return{head:e,cell:t,value:t}}function So(e,t){return{head:e,cell:e=>xo(t(e)),value:t,kind:`name`}}var Co=[$(`Phase`,({phase:e})=>ro(e)),Q(`Per step`,({ns:e})=>e,F),Q(`Share`,({ratio:e})=>e,L),Q(`Launches`,({count_per_step:e})=>e,z),Q(`Mean`,({mean_ns:e})=>e,F),Q(`Shortest`,({min_ns:e})=>e,F),Q(`Longest`,({max_ns:e})=>e,F)],wo=[So(`Op`,e=>e.name),$(`Type`,({type:e})=>e),...Co,Q(`Kernels`,({kernels:e})=>e,z)],To=[$(`Type`,({type:e})=>e||`not named`),...Co.slice(0,5),Q(`Ops`,({ops:e})=>e,z)],Eo=[So(`Kernel`,e=>e.name),So(`Op`,({op:e})=>e),...Co,$(`Class`,({kernel_class:e})=>e),$(`Precision`,({precision:e})=>e),$(`Tensor Cores`,lo),Q(`Registers`,({registers:e})=>e,z),Q(`Shared memory`,({shared_bytes:e})=>e,R),$(`Grid`,({grid:e})=>e),$(`Block`,({block:e})=>e),Q(`Occupancy`,({occupancy_ratio:e})=>e,L)],Do=[So(`Op`,e=>e.name),$(`Type`,({type:e})=>e),Q(`Own time`,({self_ns:e})=>e,F),Q(`Time`,({ns:e})=>e,F),Q(`Calls`,({calls_per_step:e})=>e,z)],Oo=class extends k{static get is(){return`tfperf-ops`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        .tools { display: flex; flex-wrap: wrap; gap: 8px 20px; margin: 8px 0; }
        label { align-items: center; display: flex; font-size: 13px; gap: 8px; }
        input, select { background: var(--page); border: 1px solid var(--control-line); border-radius: 6px; padding: 4px 8px; }
        input { width: 220px; }
        tfperf-table + tfperf-table { margin-top: 4px; }
      </style>
      <h2>Ops and kernels <small>per step and GPU</small></h2>
      <p class="name">[[sentence(report)]]</p>
      <div class="tools">
        <label hidden$="[[!phases.length]]">Phase
          <select id="phase" on-change="onFilter">
            <option value="">all</option>
            <template is="dom-repeat" items="[[phases]]"><option value="[[item.id]]">[[item.words]]</option></template>
          </select>
        </label>
        <label>Search <input id="text" type="search" autocomplete="off" spellcheck="false" placeholder="name or type" on-input="onFilter"></label>
        <span class="note" role="status">[[found]]</span>
      </div>
      <tfperf-table heading="Types of ops ([[types.length]])" columns="[[columns.types]]" items="[[types]]"></tfperf-table>
      <tfperf-table id="ops" heading="[[heading('Ops on the GPUs', ops, report.ops)]]" columns="[[columns.ops]]" items="[[ops]]" note="[[capped(report.ops)]]"></tfperf-table>
      <tfperf-table id="kernels" heading="[[heading('Kernels', kernels, report.kernels)]]" columns="[[columns.kernels]]" items="[[kernels]]" note="[[capped(report.kernels)]]"></tfperf-table>
      <tfperf-table id="hostOps" heading="[[heading('Ops on the host', hostOps, report.host_ops)]]" columns="[[columns.hostOps]]" items="[[hostOps]]" note="[[capped(report.host_ops)]]"></tfperf-table>
    `}static get properties(){return{report:{type:Object,observer:`onReport`},phases:{type:Array,value:()=>[]},types:{type:Array,value:()=>[]},ops:{type:Array,value:()=>[]},kernels:{type:Array,value:()=>[]},hostOps:{type:Array,value:()=>[]},found:{type:String,value:``},columns:{type:Object,value:()=>({types:To,ops:wo,kernels:Eo,hostOps:Do})}}}onReport({phases:e}){this.phases=(e?.items??[]).filter(({ns:e})=>e>0).map(({id:e})=>({id:e,words:Z(e).words})),this.$.phase.value=``,this.$.text.value=``,this.filter({phase:``,text:``})}onFilter(){let e={phase:this.$.phase.value,text:this.$.text.value};this.filter(e);let t=[this.ops,this.kernels,this.hostOps].map(({length:e})=>e),n=e.phase===``&&e.text.trim()===``;this.found=n?``:`${V(t[0]??0,`op`)}, ${V(t[1]??0,`kernel`)} and ${V(t[2]??0,`op`)} on the host match.`}sentence({ops:e}){return e?co(e):`No kernels can be given to steps in this profile; the host’s ops are below.`}heading(e,t,n){let r=n?.rows.length??0;return`${e} (${t.length<r?`${z(t.length)} of `:``}${z(r)})`}capped(e){return e&&e.total>e.rows.length?`The ${z(e.rows.length)} with the most time of ${z(e.total)}.`:``}filter(e){this.found=``,this.types=so(this.report.ops?.types??[],e,({type:e})=>[e]),this.ops=so(this.report.ops?.rows??[],e,({name:e,type:t})=>[e,t]),this.kernels=so(this.report.kernels?.rows??[],e,e=>[e.name,e.op,e.kernel_class,e.precision]),this.hostOps=so(this.report.host_ops?.rows??[],{...e,phase:``},({name:e,type:t})=>[e,t])}};customElements.define(Oo.is,Oo);var ko=[{head:`Phase`,cell:({id:e})=>Z(e).words},{head:`Per step`,cell:({ns:e})=>F(e),kind:`number`},{head:`Share of compute`,cell:({ratio:e})=>L(e),kind:`number`}],Ao=class extends k{static get is(){return`tfperf-phases`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        h3 { font-size: 14px; font-weight: 600; margin: 0; }
        #chart { margin-top: 8px; position: relative; }
        #chart svg { border-radius: 4px; display: block; overflow: hidden; }
        #chart g.on { stroke: var(--ink); stroke-width: 2; }
        tfperf-table { margin-top: 8px; }
      </style>
      <h3>Compute by phase</h3>
      <p class="note">[[sentence(phases)]]</p>
      <div hidden$="[[!phases.items]]">
        <div id="chart"></div>
        <ul id="legend" class="legend" aria-label="Phases, shares of compute"></ul>
        <tfperf-table heading="The phases as a table" columns="[[columns]]" items="[[rows(phases)]]" note="Told from the name scopes of ops, averaged over steps and GPUs. Where kernels overlap, the time belongs to the one that began first, so phases add up to the compute time above."></tfperf-table>
      </div>
    `}static get properties(){return{phases:{type:Object,observer:`onPhases`},columns:{type:Array,value:()=>ko}}}onPhases(e){let t=this.rows(e);if(t.length===0)return;let n=t.map(io),{drawing:r,segments:i}=da(t.map(({id:e,ns:t})=>({look:Z(e),ns:t})),Math.max(1,t.reduce((e,{ns:t})=>e+t,0)),`Compute by phase: ${n.join(`; `)}`,14),a=this.$.chart;a.replaceChildren(r),new Y(a).explain(r,i,n),this.$.legend?.replaceChildren(...t.map(({id:e,ratio:t})=>K(Z(e),`${Z(e).words} ${L(t)}`)))}rows(e){return e?.items?.filter(({ns:e})=>e>0)??[]}sentence(e){return e?ao(e):``}};customElements.define(Ao.is,Ao);var jo={xspace:`Reading the profile`,trace:`Sorting events into kernels, copies and host work`,steps:`Finding the steps`,ledger:`Dividing each step among its causes`,rules:`Checking the rules`,report:`Writing the report`},Mo=class extends k{static get is(){return`tfperf-progress`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; padding: 40px 0; }
        h1 { font-size: 20px; font-weight: 400; }
        progress { accent-color: var(--accent); display: block; height: 8px; margin: 14px 0 6px; max-width: 420px; width: 100%; }
      </style>
      <h1 role="status">[[stage(progress)]]</h1>
      <template is="dom-if" if="[[progress]]">
        <progress max="1" value="[[progress.share]]" aria-label="Share of the analysis that is done"></progress>
        <p class="note">[[share(progress)]] done. A large profile takes some seconds once; the result is kept.</p>
      </template>
    `}static get properties(){return{progress:{type:Object,value:null}}}stage(e){return`${e?jo[e.stage]??`Analysing the profile`:`Loading`} …`}share(e){return L(e?.share??0)}};customElements.define(Mo.is,Mo);var No={markers:`told by the step markers of the host`,function_runs:`told by the runs of the step’s function on the host`,steps_line:`told by the Steps line of the profile`,period:`guessed from the period of the GPU’s work`,none:`not told by anything in this profile`},Po=1e6,Fo=[{head:`Step`,cell:e=>String(e.number)},{head:`Host`,cell:({host:e})=>e,kind:`name`},{head:`Begins at`,cell:e=>I(e.begin_ms),kind:`number`},{head:`Length`,cell:e=>F((e.end_ms-e.begin_ms)*Po),kind:`number`},{head:`Compute`,cell:Lo,kind:`number`},{head:`Most other time`,cell:Ro},{head:`Note`,cell:e=>e.note||(e.judged?``:`left out`),kind:`note name`}],Io=class extends k{static get is(){return`tfperf-steps`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        tfperf-table { margin-top: 4px; }
      </style>
      <h2>Steps <small>[[subtitle(steps)]]</small></h2>
      <p class="note">[[sizes(steps)]]</p>
      <tfperf-table heading="Each step" columns="[[columns]]" items="[[steps.items]]" note="[[capped(steps)]]"></tfperf-table>
    `}static get properties(){return{steps:Object,columns:{type:Array,value:()=>Fo}}}subtitle(e){return`${V(e.count,`step`)} judged, ${No[e.source]}`}sizes(e){if(e.count===0)return``;let{mean_ns:t,p50_ns:n,p95_ns:r,max_ns:i}=e;return`mean ${F(t)} · median ${F(n)} · 95th percentile ${F(r)} · longest ${F(i)}`}capped(e){let{items:t,items_total:n}=e;return n>t.length?`The first ${t.length} of ${n} steps.`:``}};function Lo(e){let t=zo(e).get(`compute`);return t===void 0?``:L(t)}function Ro(e){let[t]=[...zo(e)].filter(([e])=>e!==`compute`).sort((e,t)=>t[1]-e[1]);return t&&t[1]>0?`${M(t[0]).words}, ${L(t[1])}`:``}function zo(e){let t=new Map,n=0;for(let{accounts:r}of e.devices)for(let[e,i]of Object.entries(r))t.set(e,(t.get(e)??0)+i),n+=i;for(let[e,r]of t)t.set(e,n>0?r/n:0);return t}customElements.define(Io.is,Io);var Bo=class extends k{static get is(){return`tfperf-summary`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; padding-top: 24px; }
        h1 { font-size: 26px; font-weight: 400; line-height: 1.3; text-wrap: balance; }
        h1 b { font-weight: 700; white-space: nowrap; }
        .advice { font-size: 16px; margin-top: 4px; }
        dl { display: flex; flex-wrap: wrap; gap: 16px 40px; margin-top: 20px; }
        dl div { display: flex; flex-direction: column-reverse; justify-content: flex-end; max-width: 240px; }
        dd { font-size: 20px; line-height: 1.4; }
        dd.missing { color: var(--ink-2); font-size: 16px; line-height: 28px; }
        dt { color: var(--ink-2); font-size: 13px; }
      </style>
      <h1 class="name" aria-label$="[[report.headline]]"><template is="dom-repeat" items="[[parts(report.headline)]]"><template is="dom-if" if="[[item.strong]]"><b>[[item.text]]</b></template><template is="dom-if" if="[[!item.strong]]"><span>[[item.text]]</span></template></template></h1>
      <p class="advice name">[[report.advice]]</p>
      <dl hidden$="[[nothingKnown(report)]]">
        <template is="dom-repeat" items="[[numbers(report)]]">
          <div>
            <dt><tfperf-term word="[[item.words]]" meaning="[[item.more]]"></tfperf-term></dt>
            <dd class$="[[missingClass(item)]]">[[item.value]]</dd>
          </div>
        </template>
      </dl>
    `}static get properties(){return{report:Object}}parts(e){return Rr(e)}missingClass(e){return e.missing?`missing`:``}nothingKnown(e){return this.numbers(e).every(({missing:e})=>e)}numbers(e){let t=e.key_numbers,n=t.ops_on_device_count_ratio,r=t.compute_tf32_ratio??0,i=[Vo(t.device_time_ratio,`of the step on the device`,`Step time in which the GPU works.`),Vo(t.ops_on_device_ratio,`of op time placed on the device${n===null?``:`, ${L(n)} of ops`}`,`Ops that run on a GPU and not on the CPU, by time and by count.`),Vo(t.compute_16bit_ratio,`of compute in 16 bit${r>0?`, ${L(r)} in TF32`:``}`,`Kernel time in float16 and bfloat16; TensorFloat-32 is counted apart.`),Vo(t.gpu_busy_ratio,`GPU busy`,`Time in which anything at all runs on a GPU.`)],{transfer_ns:a=null,ring_bound_ns:o=null}=e.allreduce??{};if(a){let e=o?`, ${(a/o).toFixed(1)} × the ring bound`:``;i.push({value:F(a),words:`AllReduce transfer${e}`,more:`Per step; waiting for other GPUs is not in it.`,missing:!1})}return i}};function Vo(e,t,n){return{value:e===null?`not recorded`:L(e),words:t,more:n,missing:e===null}}customElements.define(Bo.is,Bo);function Ho(e){let t=new Map;for(let n of e){let e=JSON.stringify(n.facts),r=t.get(e)??{records:[],facts:n.facts};r.records.push(n),t.set(e,r)}return[...t.values()]}var Uo=`from tfperf_plugin.keras import DiagnosticsCallback
model.fit(..., callbacks=[tensorboard, DiagnosticsCallback(LOGDIR)])`,Wo=class extends k{static get is(){return`tfperf-training`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; }
        .group { border-left: 3px solid var(--line); margin-top: 10px; max-width: 760px; padding-left: 14px; }
        .group ul { color: var(--ink-2); font-size: 13px; list-style: none; padding: 0; }
        dl div { border-bottom: 1px solid var(--line); display: grid; font-size: 13px; gap: 12px; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); padding: 5px 0; }
        dt { color: var(--ink-2); }
        dd { overflow-wrap: anywhere; }
        tfperf-code { max-width: 760px; }
        p { margin-top: 6px; max-width: 760px; }
      </style>
      <details>
        <summary>What the training recorded about itself</summary>
        <template is="dom-repeat" items="[[groups(records)]]">
          <div class="group">
            <ul>
              <template is="dom-repeat" items="[[item.records]]" as="record">
                <li class="name">[[who(record)]]</li>
              </template>
            </ul>
            <dl>
              <template is="dom-repeat" items="[[item.facts]]" as="fact">
                <div><dt>[[fact.label]]</dt><dd>[[fact.value]]</dd></div>
              </template>
            </dl>
          </div>
        </template>
        <template is="dom-if" if="[[!records.length]]">
          <p class="note">Nothing was recorded beside this profile. With this callback the number of parameters, the batch size, threads and links between GPUs are known and need not be estimated:</p>
          <tfperf-code framework="Keras" code="[[snippet]]"></tfperf-code>
        </template>
      </details>
    `}static get properties(){return{records:{type:Array,value:()=>[]},snippet:{type:String,value:Uo}}}groups(e){return Ho(e)}who({host:e,file:t,recorded:n}){return[e,t,n].filter(Boolean).join(` · `)}};customElements.define(Wo.is,Wo);var Go=class extends k{static get is(){return`tfperf-trust`}static get template(){return O`
      ${j}
      <style>
        :host { display: block; margin-top: 18px; }
        .chips { display: flex; flex-wrap: wrap; gap: 8px; list-style: none; padding: 0; }
        .chip { background: var(--ground); border: 1px solid var(--line); border-radius: 15px; color: var(--ink-2); font-size: 13px; line-height: 20px; padding: 4px 12px; text-align: left; }
        .chip:hover, .chip[aria-expanded='true'] { color: var(--ink); }
        .chip[aria-expanded='true'] { border-color: var(--control-line); }
        .chip i { font-size: 11px; font-style: normal; margin-right: 6px; }
        .critical i { color: var(--critical); }
        .warning i { color: var(--warning); }
        .info i { color: var(--info); font-weight: 700; }
        .note-body { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; margin-top: 8px; padding: 14px 18px; }
        .note-body > * + * { margin-top: 10px; }
        .title { align-items: baseline; display: flex; gap: 10px; }
        h2 { font-size: 15px; }
      </style>
      <ul class="chips" aria-label="How far this profile can be trusted">
        <template is="dom-repeat" items="[[notes]]">
          <li>
            <button class$="chip name [[item.severity]]" aria-expanded$="[[isOpen(item, open)]]" aria-controls="body" on-click="onOpen"><i aria-hidden="true">[[icon(item)]]</i><span class="unseen">[[item.severity]]: </span>[[item.title]]</button>
          </li>
        </template>
      </ul>
      <div id="body">
        <template is="dom-if" if="[[open]]">
          <div class="note-body">
            <div class="title">
              <tfperf-severity severity="[[open.severity]]"></tfperf-severity>
              <h2 class="name">[[open.title]]</h2>
            </div>
            <p class="name">[[open.summary]]</p>
            <tfperf-evidence items="[[open.evidence]]" hidden$="[[!open.evidence.length]]"></tfperf-evidence>
            <template is="dom-repeat" items="[[open.explains]]">
              <p class="name">It also explains: [[item.title]]. [[item.summary]] <a class="note" href$="[[page(item)]]" target="_blank" rel="noopener">How this is measured</a></p>
              <tfperf-evidence items="[[item.evidence]]" hidden$="[[!item.evidence.length]]"></tfperf-evidence>
            </template>
            <tfperf-fix fix="[[open.fix]]" guide="[[open.guide]]" rule="[[open.id]]"></tfperf-fix>
          </div>
        </template>
      </div>
    `}static get properties(){return{notes:{type:Array,observer:`onNotes`},open:{type:Object,value:null}}}onNotes(){this.open=null}onOpen(e){this.open=this.open===e.model.item?null:e.model.item}page(e){return f(document.baseURI,e.id)}isOpen(e,t){return String(e===t)}icon(e){return{critical:`●`,warning:`▲`,info:`i`}[e.severity]}};customElements.define(Go.is,Go);var Ko=class extends k{constructor(...e){super(...e),this.state=_r,this.wanted=null,this.retyped=new Set,this.loading=new AbortController,this.stale=!1}static get is(){return`tfperf-app`}static get template(){return O`
      ${j}
      <style>
        :host { background: var(--page); display: block; min-height: 100vh; }
        main { margin: 0 auto; max-width: 1180px; padding: 0 24px 64px; }
        tfperf-ledger, tfperf-findings, tfperf-allreduce, tfperf-hosts, tfperf-input, tfperf-ops, tfperf-memory, tfperf-steps, tfperf-training { margin-top: 32px; }
        tfperf-phases { margin-top: 20px; }
      </style>
      <main>
        <template is="dom-if" if="[[hasRuns(runs, run)]]">
          <tfperf-bar runs="[[runs]]" run="[[run]]" report="[[current(view, report)]]"></tfperf-bar>
        </template>
        <template is="dom-if" if="[[is(view, 'waiting')]]">
          <tfperf-progress progress="[[progress]]"></tfperf-progress>
        </template>
        <template is="dom-if" if="[[is(view, 'empty')]]"><tfperf-no-profiles></tfperf-no-profiles></template>
        <template is="dom-if" if="[[is(view, 'failed')]]">
          <tfperf-failure error="[[error]]"></tfperf-failure>
        </template>
        <template is="dom-if" if="[[is(view, 'report')]]" restamp>
          <tfperf-summary report="[[report]]"></tfperf-summary>
          <tfperf-trust notes="[[report.trust]]" hidden$="[[!report.trust.length]]"></tfperf-trust>
          <tfperf-ledger report="[[report]]"></tfperf-ledger>
          <template is="dom-if" if="[[report.phases]]" restamp>
            <tfperf-phases phases="[[report.phases]]"></tfperf-phases>
          </template>
          <tfperf-findings report="[[report]]" access="[[access]]" opened="[[opened]]"></tfperf-findings>
          <template is="dom-if" if="[[report.allreduce]]" restamp>
            <tfperf-allreduce allreduce="[[report.allreduce]]" run="[[run]]" access="[[access]]"
              typed="[[typed]]" refused="[[refused]]" recomputing="[[recomputing]]"></tfperf-allreduce>
          </template>
          <template is="dom-if" if="[[severalHosts(report)]]" restamp>
            <tfperf-hosts hosts="[[report.by_host]]"></tfperf-hosts>
          </template>
          <template is="dom-if" if="[[report.input.iterators.length]]" restamp>
            <tfperf-input input="[[report.input]]"></tfperf-input>
          </template>
          <template is="dom-if" if="[[hasOps(report)]]" restamp>
            <tfperf-ops report="[[report]]"></tfperf-ops>
          </template>
          <template is="dom-if" if="[[report.memory]]" restamp>
            <tfperf-memory memory="[[report.memory]]"></tfperf-memory>
          </template>
          <template is="dom-if" if="[[report.steps.items.length]]">
            <tfperf-steps steps="[[report.steps]]"></tfperf-steps>
          </template>
          <tfperf-training records="[[report.training]]"></tfperf-training>
        </template>
      </main>
    `}static get properties(){return{view:{type:String,value:`waiting`},runs:{type:Array,value:()=>[]},run:{type:String,value:null},report:{type:Object,value:null},progress:{type:Object,value:null},error:{type:Object,value:null},access:{type:Object,value:null},opened:{type:String,value:null},typed:{type:Object,value:()=>cr},refused:{type:Object,value:()=>ur},recomputing:{type:Boolean,value:!1}}}ready(){super.ready();let e=(e,t)=>this.addEventListener(e,e=>t(e.detail));e(`run-change`,({run:e})=>this.choose({..._r,run:e})),e(`assume`,({field:e,text:t})=>{this.wanted={...this.wanted??this.typed,[e]:t},this.retyped.add(e),this.recomputing=!0,this.load()}),e(`retry`,()=>void this.load()),e(`finding-toggle`,({id:e,expanded:t})=>{t?this.remember({...this.state,finding:e}):this.state.finding===e&&this.remember({...this.state,finding:null})}),e(`open-profile-tab`,({target:e,click:t})=>{this.host.openProfileTab(e)&&t.preventDefault()})}start(e,t){return this.backend=e,this.host=t,this.state=t.readAddress(),t.onShown(()=>this.catchUp()),this.load()}reload(){this.host.isShown()?this.load():this.stale=!0}hasRuns(e,t){return e.length>0||t!==null}hasOps(e){return!!(e?.ops??e?.host_ops)}severalHosts(e){return(e?.by_host.length??0)>1}is(e,t){return e===t}catchUp(){let e=this.host.readAddress();e.run!==null&&JSON.stringify(e)!==JSON.stringify(this.state)?this.choose(e):(this.host.writeAddress(this.state),this.stale&&this.load())}current(e,t){return e===`report`?t:null}remember(e){this.state=e,this.host.writeAddress(e)}choose(e){this.remember(e),this.wanted=null,this.typed=cr,this.refused=ur,this.retyped.clear(),this.recomputing=!1,this.load()}async load(){this.loading.abort(),this.loading=new AbortController,this.stale=!1;let{signal:e}=this.loading;try{let t=await this.backend.runs();if(e.aborted)return;this.runs=t;let n=this.state.run??t[0]?.name;if(n===void 0){this.run=null,this.view=`empty`;return}(n!==this.report?.run||this.view!==`report`)&&this.wait(n);let{parameters:r,bandwidth:i}=this.state,a=r!==null||i!==null;this.wanted??=a?{parameters:r,bandwidth:i}:this.host.recall(n);let o=await this.ask(n,this.wanted,e);e.aborted||this.present(n,o)}catch(t){e.aborted||this.fail(t)}}wait(e){this.run=e,this.progress=null,this.access=null,this.view=`waiting`}async ask(e,t,n){let r=e=>{this.recomputing||(this.progress=e,this.view=`waiting`)},i=t=>this.backend.report({run:e,...t},r,n),a={...ur};try{return{report:await i(t),typed:t,refused:a}}catch(e){if(!qo(e))throw e}let o=this.typed;for(let e of lr){let n=t[e];if(n!==o[e])try{await i({...o,[e]:n}),o={...o,[e]:n}}catch(t){if(!qo(t))throw t;a[e]={text:n??``,message:t.message}}}return{report:await i(o),typed:o,refused:a}}present(e,{report:t,typed:n,refused:r}){this.run=e,this.wanted=n,this.recomputing&&this.host.keep(e,n),this.typed=n;for(let e of lr)this.retyped.has(e)||(r[e]??=this.refused[e]);this.retyped.clear(),this.refused=r,this.recomputing=!1,this.remember({...this.state,run:e,...n}),(this.view!==`report`||JSON.stringify(t)!==JSON.stringify(this.report))&&(this.opened=this.state.finding,this.report=t,this.view=`report`),this.backend.traceAccess(e).then(t=>{this.run===e&&(this.access=t)})}fail(e){this.error=e instanceof p?e:new p(e instanceof Error?e.message:String(e),`internal`),this.recomputing=!1,this.view=`failed`}};function qo(e){return e instanceof p&&e.kind===`bad_request`}customElements.define(Ko.is,Ko);var Jo=2e4;function Yo(){try{return window.parent!==window&&window.parent.document?window.parent:null}catch{return null}}function Xo(e){return e.querySelector(`iframe[src$="plugin_entry.html?name=profile"]`)}function Zo(e,t){return new Promise(n=>{let r=e=>{a.disconnect(),clearTimeout(o),n(e)},i=()=>{let e=t();e!==null&&r(e)},a=new MutationObserver(i),o=setTimeout(()=>r(null),Jo);a.observe(e,{childList:!0,subtree:!0}),i()})}var Qo=class{constructor(e=Yo(),t=document.baseURI){this.tensorboard=e,this.baseURI=t}readAddress(){return this.tensorboard?br(this.tensorboard.location.hash):_r}writeAddress(e){if(!this.tensorboard||!xr(this.tensorboard.location.hash))return;let{history:t,location:n}=this.tensorboard,r=Sr(n.hash,e);r!==n.hash&&t.replaceState(t.state,``,r)}recall(e){return pr(e)}keep(e,t){mr(e,t)}isShown(){return window.innerHeight>0}onShown(e){let t=this.tensorboard,n=es();if(!t||!n)return;let r=()=>{this.isShown()&&e()},{ResizeObserver:i}=t;new i(r).observe(n),t.addEventListener(`hashchange`,r)}openProfileTab(e){let t=this.tensorboard;return t?(t.location.hash=`profile`,t.history.replaceState(t.history.state,``,`${c(e)}#profile`),this.zoomProfileTab(t,e),!0):!1}async zoomProfileTab(e,t){let n=await Zo(e.document,()=>Xo(e.document)),r=n?.contentWindow;if(!n||!r)return;r.location.replace(u(this.baseURI,t,Date.now().toString(36))),await new Promise(e=>n.addEventListener(`load`,e,{once:!0}));let i=n.contentDocument;if(!i)return;let a=await Zo(i,()=>{let e=i.querySelector(`trace-viewer iframe`);return e?.src?e:null});a&&(a.contentWindow?.location.replace(d(a.src,t)),e.location.hash===``&&e.history.replaceState(e.history.state,``,`${e.location.search}#profile`))}};function $o(){document.documentElement.lang=`en`,document.title=`Diagnostics`;let e=es();e&&(e.title=`Diagnostics`)}function es(){try{return window.frameElement}catch{return null}}function ts(){let e=document.documentElement,t=Yo()?.document.body;if(t){let n=()=>{e.dataset.theme=t.classList.contains(`dark-mode`)?`dark`:`light`};n(),new MutationObserver(n).observe(t,{attributes:!0,attributeFilter:[`class`]});return}let n=window.matchMedia(`(prefers-color-scheme: dark)`),r=()=>{e.dataset.theme=n.matches?`dark`:`light`};r(),n.addEventListener(`change`,r)}function ns(e=es()){e&&Object.defineProperty(e,"reload",{configurable:!0,get:()=>void 0,set:t=>{let n=Xo(e.ownerDocument);n&&Object.assign(n,{reload:t})}})}function rs(e){let t=Yo();if(!t)return;let{port1:n,port2:r}=new MessageChannel;n.onmessage=({data:t})=>{let{type:r,id:i,isReply:a}=JSON.parse(t);a||(n.postMessage(JSON.stringify({type:r,id:i,payload:null,error:null,isReply:!0})),r===`experimental.DataReloaded`&&e())},t.postMessage(`experimental.bootstrap`,`*`,[r])}function is(){$o(),ns(),ts();let e=document.createElement(`style`);e.textContent=Cr,document.head.append(e);let t=document.createElement(`tfperf-app`);document.body.append(t),rs(()=>t.reload()),t.start(new oe(document.baseURI),new Qo)}export{is as render};