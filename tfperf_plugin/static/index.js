var e=`trace_viewer@`,t=.001;function n(e){return new URL(`../../../`,e)}function r(e){return new URL(`../profile/`,e)}function i(e,n){let r=Math.min(e,n),i=Math.max(e,n),a=Math.max((i-r)*.1,t);return{begin:Math.max(0,r-a),end:Math.max(t,i+a)}}function a(e){return e.toFixed(6)}function o(e,t={}){let{run:n,host:r}=e;return new URLSearchParams({run:n,host:r,hosts:r,...t}).toString()}function s(t,r){let i=n(t);return i.search=o(r,{tool:e}),i.hash=`profile`,i.href}function c(t){return`?${new URLSearchParams({tool:e,run:t.run,hosts:t.host})}`}function l(t,n){let s=r(t),c=new URL(`data?${o(n,{tag:e})}`,s),{begin:l,end:u}=i(n.beginMs,n.endMs),d=new URL(`trace_viewer_index.html`,s);return d.search=new URLSearchParams({is_streaming:`true`,is_oss:`true`,trace_data_url:c.pathname+c.search,source_code_service:`false`,view_start:a(l),view_end:a(u)}).toString(),d.href}function u(t,n,s){let{begin:c,end:l}=i(n.beginMs,n.endMs),u=new URL(`index.html`,r(t));return u.search=o(n,{tool:e,view_start:a(c),view_end:a(l),nonce:s}),u.href}function d(e,t){let n=new URL(e),{begin:r,end:o}=i(t.beginMs,t.endMs);return n.searchParams.set(`view_start`,a(r)),n.searchParams.set(`view_end`,a(o)),n.href}function f(e,t){return new URL(`page?${new URLSearchParams({rule:t})}`,e).href}function ee(e){try{let t=new URL(e);return[`http:`,`https:`].includes(t.protocol)?t.href:void 0}catch{return}}var p=class extends Error{constructor(e,t){super(e),this.kind=t}};function te(e,t){return e?.state===`ready`&&e.hosts.includes(t)}function ne(e,t){switch(e?.state){case void 0:return``;case`no_plugin`:return`The trace viewer is not there: TensorBoard’s profile plugin is missing (pip install xprof).`;case`no_run`:return`The trace viewer does not list this run.`;case`ready`:return te(e,t)?``:`The trace viewer does not list this host.`}}var re=250,ie=1e3,ae=[`not_found`,`bad_request`,`unreadable`,`not_judgeable`],oe=class{constructor(e,t=(e,t)=>window.fetch(e,t),n=e=>new Promise(t=>setTimeout(t,e))){this.baseURI=e,this.fetch=t,this.pause=n}async runs(){let{body:e}=await this.ask(`runs`);return e.runs}async report(e,t,n){return await this.awaited(`report?${se(e)}`,t,n)}async predict(e,t,n){let r=se(e,{without:t.join(`,`)});return await this.awaited(`predict?${r}`,()=>void 0,n)}async awaited(e,t,n){for(let r=re;;r=Math.min(r*1.5,ie)){let{status:i,body:a}=await this.ask(e,n);if(i!==202)return a;t(a),await this.pause(r),n.throwIfAborted()}}async traceAccess(e){let t=r(this.baseURI);try{let r=new URL(`data/plugins_listing`,n(this.baseURI));if(!(`profile`in await this.json(r)))return{state:`no_plugin`};if(!(await this.json(new URL(`runs`,t))).includes(e))return{state:`no_run`};let i=new URLSearchParams({run:e,tag:`trace_viewer@`});return{state:`ready`,hosts:(await this.json(new URL(`hosts?${i}`,t))).map(({hostname:e})=>e)}}catch{return{state:`no_plugin`}}}async json(e){let t=await this.fetch(e.href);if(!t.ok)throw Error(`${t.status}`);return t.json()}async ask(e,t){let n;try{n=await this.fetch(new URL(e,this.baseURI).href,t?{signal:t}:{})}catch(e){throw t?.aborted?e:new p(`TensorBoard does not answer. Is it still running?`,`unreachable`)}let r=await n.json().catch(()=>null);if(n.ok&&r!==null)return{status:n.status,body:r};let{error:i,kind:a}=r??{};throw new p(typeof i==`string`?i:`TensorBoard answered with status ${n.status}.`,ae.includes(String(a))?a:`internal`)}};function se({run:e,parameters:t,bandwidth:n},r={}){let i=Object.entries({run:e,parameters:t,bandwidth:n,...r}).filter(([,e])=>e!==null);return new URLSearchParams(i.map(([e,t])=>[e,String(t)]))}window.JSCompiler_renameProperty=function(e,t){return e};var ce=/(url\()([^)]*)(\))/g,le=/(^\/[^\/])|(^#)|(^[\w-\d]*:)/,ue,m;function h(e,t){if(e&&le.test(e)||e===`//`)return e;if(ue===void 0){ue=!1;try{let e=new URL(`b`,`http://a`);e.pathname=`c%20d`,ue=e.href===`http://a/c%20d`}catch{}}if(t||=document.baseURI||window.location.href,ue)try{return new URL(e,t).href}catch{return e}return m||(m=document.implementation.createHTMLDocument(`temp`),m.base=m.createElement(`base`),m.head.appendChild(m.base),m.anchor=m.createElement(`a`),m.body.appendChild(m.anchor)),m.base.href=t,m.anchor.href=e,m.anchor.href||e}function de(e,t){return e.replace(ce,function(e,n,r,i){return n+`'`+h(r.replace(/["']/g,``),t)+`'`+i})}function fe(e){return e.substring(0,e.lastIndexOf(`/`)+1)}var pe=!window.ShadyDOM||!window.ShadyDOM.inUse;!window.ShadyCSS||window.ShadyCSS.nativeCss,window.customElements.polyfillWrapFlushCallback;var me=pe&&`adoptedStyleSheets`in Document.prototype&&`replaceSync`in CSSStyleSheet.prototype&&(()=>{try{let e=new CSSStyleSheet;e.replaceSync(``);let t=document.createElement(`div`);return t.attachShadow({mode:`open`}),t.shadowRoot.adoptedStyleSheets=[e],t.shadowRoot.adoptedStyleSheets[0]===e}catch{return!1}})(),he=window.Polymer&&window.Polymer.rootPath||fe(document.baseURI||window.location.href),ge=window.Polymer&&window.Polymer.sanitizeDOMValue||void 0;window.Polymer&&window.Polymer.setPassiveTouchGestures;var g=window.Polymer&&window.Polymer.strictTemplatePolicy||!1,_e=window.Polymer&&window.Polymer.allowTemplateFromDomModule||!1,ve=window.Polymer&&window.Polymer.legacyOptimizations||!1,ye=window.Polymer&&window.Polymer.legacyWarnings||!1,be=window.Polymer&&window.Polymer.syncInitialRender||!1,xe=window.Polymer&&window.Polymer.legacyUndefined||!1,Se=window.Polymer&&window.Polymer.orderedComputed||!1,Ce=window.Polymer&&window.Polymer.removeNestedTemplates||!1,we=window.Polymer&&window.Polymer.fastDomIf||!1,Te=window.Polymer&&window.Polymer.suppressTemplateNotifications||!1;window.Polymer&&window.Polymer.legacyNoObservedAttributes;var Ee=window.Polymer&&window.Polymer.useAdoptedStyleSheetsWithBuiltCSS||!1,De=0;function Oe(){}Oe.prototype.__mixinApplications,Oe.prototype.__mixinSet;var _=function(e){let t=e.__mixinApplications;t||(t=new WeakMap,e.__mixinApplications=t);let n=De++;function r(r){let i=r.__mixinSet;if(i&&i[n])return r;let a=t,o=a.get(r);if(!o){o=e(r),a.set(r,o);let t=Object.create(o.__mixinSet||i||null);t[n]=!0,o.__mixinSet=t}return o}return r},ke={},Ae={};function je(e,t){ke[e]=Ae[e.toLowerCase()]=t}function Me(e){return ke[e]||Ae[e.toLowerCase()]}function Ne(e){e.querySelector(`style`)&&console.warn(`dom-module %s has style outside template`,e.id)}var Pe=class extends HTMLElement{static get observedAttributes(){return[`id`]}static import(e,t){if(e){let n=Me(e);return n&&t?n.querySelector(t):n}return null}attributeChangedCallback(e,t,n,r){t!==n&&this.register()}get assetpath(){if(!this.__assetpath){let e=window.HTMLImports&&HTMLImports.importForElement?HTMLImports.importForElement(this)||document:this.ownerDocument,t=h(this.getAttribute(`assetpath`)||``,e.baseURI);this.__assetpath=fe(t)}return this.__assetpath}register(e){if(e||=this.id,e){if(g&&Me(e)!==void 0)throw je(e,null),Error(`strictTemplatePolicy: dom-module ${e} re-registered`);this.id=e,je(e,this),Ne(this)}}};Pe.prototype.modules=ke,customElements.define(`dom-module`,Pe);var Fe=`link[rel=import][type~=css]`,Ie=`include`,Le=`shady-unscoped`;function Re(e){return Pe.import(e)}function ze(e){let t=de((e.body?e.body:e).textContent,e.baseURI),n=document.createElement(`style`);return n.textContent=t,n}function Be(e){let t=e.trim().split(/\s+/),n=[];for(let e=0;e<t.length;e++)n.push(...Ve(t[e]));return n}function Ve(e){let t=Re(e);if(!t)return console.warn(`Could not find style data in module named`,e),[];if(t._styles===void 0){let e=[];e.push(...We(t));let n=t.querySelector(`template`);n&&e.push(...He(n,t.assetpath)),t._styles=e}return t._styles}function He(e,t){if(!e._styles){let n=[],r=e.content.querySelectorAll(`style`);for(let e=0;e<r.length;e++){let i=r[e],a=i.getAttribute(Ie);a&&n.push(...Be(a).filter(function(e,t,n){return n.indexOf(e)===t})),t&&(i.textContent=de(i.textContent,t)),n.push(i)}e._styles=n}return e._styles}function Ue(e){let t=Re(e);return t?We(t):[]}function We(e){let t=[],n=e.querySelectorAll(Fe);for(let e=0;e<n.length;e++){let r=n[e];if(r.import){let e=r.import,n=r.hasAttribute(Le);if(n&&!e._unscopedStyle){let t=ze(e);t.setAttribute(Le,``),e._unscopedStyle=t}else e._style||=ze(e);t.push(n?e._unscopedStyle:e._style)}}return t}var v=window.ShadyDOM&&window.ShadyDOM.noPatch&&window.ShadyDOM.wrap?window.ShadyDOM.wrap:window.ShadyDOM?e=>ShadyDOM.patch(e):e=>e;function Ge(e){return e.indexOf(`.`)>=0}function y(e){let t=e.indexOf(`.`);return t===-1?e:e.slice(0,t)}function Ke(e,t){return e.indexOf(t+`.`)===0}function qe(e,t){return t.indexOf(e+`.`)===0}function Je(e,t,n){return t+n.slice(e.length)}function Ye(e,t){return e===t||Ke(e,t)||qe(e,t)}function Xe(e){if(Array.isArray(e)){let t=[];for(let n=0;n<e.length;n++){let r=e[n].toString().split(`.`);for(let e=0;e<r.length;e++)t.push(r[e])}return t.join(`.`)}return e}function Ze(e){return Array.isArray(e)?Xe(e).split(`.`):e.toString().split(`.`)}function b(e,t,n){let r=e,i=Ze(t);for(let e=0;e<i.length;e++){if(!r)return;let t=i[e];r=r[t]}return n&&(n.path=i.join(`.`)),r}function Qe(e,t,n){let r=e,i=Ze(t),a=i[i.length-1];if(i.length>1){for(let e=0;e<i.length-1;e++){let t=i[e];if(r=r[t],!r)return}r[a]=n}else r[t]=n;return i.join(`.`)}var $e={},et=/-[a-z]/g,tt=/([A-Z])/g;function nt(e){return $e[e]||($e[e]=e.indexOf(`-`)<0?e:e.replace(et,e=>e[1].toUpperCase()))}function rt(e){return $e[e]||($e[e]=e.replace(tt,`-$1`).toLowerCase())}var it=0,at=0,x=[],ot=0,st=!1,ct=document.createTextNode(``);new window.MutationObserver(lt).observe(ct,{characterData:!0});function lt(){st=!1;let e=x.length;for(let t=0;t<e;t++){let e=x[t];if(e)try{e()}catch(e){setTimeout(()=>{throw e})}}x.splice(0,e),at+=e}for(var ut={after(e){return{run(t){return window.setTimeout(t,e)},cancel(e){window.clearTimeout(e)}}},run(e,t){return window.setTimeout(e,t)},cancel(e){window.clearTimeout(e)}},dt={run(e){return st||(st=!0,ct.textContent=ot++),x.push(e),it++},cancel(e){let t=e-at;if(t>=0){if(!x[t])throw Error(`invalid async handle: `+e);x[t]=null}}},ft=dt,pt=_(e=>{class t extends e{static createProperties(e){let t=this.prototype;for(let n in e)n in t||t._createPropertyAccessor(n)}static attributeNameForProperty(e){return e.toLowerCase()}static typeForProperty(e){}_createPropertyAccessor(e,t){this._addPropertyToAttributeMap(e),this.hasOwnProperty(JSCompiler_renameProperty(`__dataHasAccessor`,this))||(this.__dataHasAccessor=Object.assign({},this.__dataHasAccessor)),this.__dataHasAccessor[e]||(this.__dataHasAccessor[e]=!0,this._definePropertyAccessor(e,t))}_addPropertyToAttributeMap(e){this.hasOwnProperty(JSCompiler_renameProperty(`__dataAttributes`,this))||(this.__dataAttributes=Object.assign({},this.__dataAttributes));let t=this.__dataAttributes[e];return t||(t=this.constructor.attributeNameForProperty(e),this.__dataAttributes[t]=e),t}_definePropertyAccessor(e,t){Object.defineProperty(this,e,{get(){return this.__data[e]},set:t?function(){}:function(t){this._setPendingProperty(e,t,!0)&&this._invalidateProperties()}})}constructor(){super(),this.__dataEnabled=!1,this.__dataReady=!1,this.__dataInvalid=!1,this.__data={},this.__dataPending=null,this.__dataOld=null,this.__dataInstanceProps=null,this.__dataCounter=0,this.__serializing=!1,this._initializeProperties()}ready(){this.__dataReady=!0,this._flushProperties()}_initializeProperties(){for(let e in this.__dataHasAccessor)this.hasOwnProperty(e)&&(this.__dataInstanceProps=this.__dataInstanceProps||{},this.__dataInstanceProps[e]=this[e],delete this[e])}_initializeInstanceProperties(e){Object.assign(this,e)}_setProperty(e,t){this._setPendingProperty(e,t)&&this._invalidateProperties()}_getProperty(e){return this.__data[e]}_setPendingProperty(e,t,n){let r=this.__data[e],i=this._shouldPropertyChange(e,t,r);return i&&(this.__dataPending||(this.__dataPending={},this.__dataOld={}),this.__dataOld&&!(e in this.__dataOld)&&(this.__dataOld[e]=r),this.__data[e]=t,this.__dataPending[e]=t),i}_isPropertyPending(e){return!!(this.__dataPending&&this.__dataPending.hasOwnProperty(e))}_invalidateProperties(){!this.__dataInvalid&&this.__dataReady&&(this.__dataInvalid=!0,ft.run(()=>{this.__dataInvalid&&(this.__dataInvalid=!1,this._flushProperties())}))}_enableProperties(){this.__dataEnabled||(this.__dataEnabled=!0,this.__dataInstanceProps&&=(this._initializeInstanceProperties(this.__dataInstanceProps),null),this.ready())}_flushProperties(){this.__dataCounter++;let e=this.__data,t=this.__dataPending,n=this.__dataOld;this._shouldPropertiesChange(e,t,n)&&(this.__dataPending=null,this.__dataOld=null,this._propertiesChanged(e,t,n)),this.__dataCounter--}_shouldPropertiesChange(e,t,n){return!!t}_propertiesChanged(e,t,n){}_shouldPropertyChange(e,t,n){return n!==t&&(n===n||t===t)}attributeChangedCallback(e,t,n,r){t!==n&&this._attributeToProperty(e,n),super.attributeChangedCallback&&super.attributeChangedCallback(e,t,n,r)}_attributeToProperty(e,t,n){if(!this.__serializing){let r=this.__dataAttributes,i=r&&r[e]||e;this[i]=this._deserializeValue(t,n||this.constructor.typeForProperty(i))}}_propertyToAttribute(e,t,n){this.__serializing=!0,n=arguments.length<3?this[e]:n,this._valueToNodeAttribute(this,n,t||this.constructor.attributeNameForProperty(e)),this.__serializing=!1}_valueToNodeAttribute(e,t,n){let r=this._serializeValue(t);(n===`class`||n===`name`||n===`slot`)&&(e=v(e)),r===void 0?e.removeAttribute(n):e.setAttribute(n,r===``&&window.trustedTypes?window.trustedTypes.emptyScript:r)}_serializeValue(e){switch(typeof e){case`boolean`:return e?``:void 0;default:return e?.toString()}}_deserializeValue(e,t){switch(t){case Boolean:return e!==null;case Number:return Number(e);default:return e}}}return t}),mt={},ht=HTMLElement.prototype;ht;){let e=Object.getOwnPropertyNames(ht);for(let t=0;t<e.length;t++)mt[e[t]]=!0;ht=Object.getPrototypeOf(ht)}var gt=window.trustedTypes?e=>trustedTypes.isHTML(e)||trustedTypes.isScript(e)||trustedTypes.isScriptURL(e):()=>!1;function _t(e,t){if(!mt[t]){let n=e[t];n!==void 0&&(e.__data?e._setPendingProperty(t,n):(e.__dataProto?e.hasOwnProperty(JSCompiler_renameProperty(`__dataProto`,e))||(e.__dataProto=Object.create(e.__dataProto)):e.__dataProto={},e.__dataProto[t]=n))}}var vt=_(e=>{let t=pt(e);class n extends t{static createPropertiesForAttributes(){let e=this.observedAttributes;for(let t=0;t<e.length;t++)this.prototype._createPropertyAccessor(nt(e[t]))}static attributeNameForProperty(e){return rt(e)}_initializeProperties(){this.__dataProto&&=(this._initializeProtoProperties(this.__dataProto),null),super._initializeProperties()}_initializeProtoProperties(e){for(let t in e)this._setProperty(t,e[t])}_ensureAttribute(e,t){let n=this;n.hasAttribute(e)||this._valueToNodeAttribute(n,t,e)}_serializeValue(e){switch(typeof e){case`object`:if(e instanceof Date)return e.toString();if(e){if(gt(e))return e;try{return JSON.stringify(e)}catch{return``}}default:return super._serializeValue(e)}}_deserializeValue(e,t){let n;switch(t){case Object:try{n=JSON.parse(e)}catch{n=e}break;case Array:try{n=JSON.parse(e)}catch{n=null,console.warn(`Polymer::Attributes: couldn't decode Array as JSON: ${e}`)}break;case Date:n=isNaN(e)?String(e):Number(e),n=new Date(n);break;default:n=super._deserializeValue(e,t)}return n}_definePropertyAccessor(e,t){_t(this,e),super._definePropertyAccessor(e,t)}_hasAccessor(e){return this.__dataHasAccessor&&this.__dataHasAccessor[e]}_isPropertyPending(e){return!!(this.__dataPending&&e in this.__dataPending)}}return n}),yt={"dom-if":!0,"dom-repeat":!0},bt=!1,xt=!1;function St(){if(!bt){bt=!0;let e=document.createElement(`textarea`);e.placeholder=`a`,xt=e.placeholder===e.textContent}return xt}function Ct(e){St()&&e.localName===`textarea`&&e.placeholder&&e.placeholder===e.textContent&&(e.textContent=null)}var wt=(()=>{let e=window.trustedTypes&&window.trustedTypes.createPolicy(`polymer-template-event-attribute-policy`,{createScript:e=>e});return(t,n,r)=>{let i=n.getAttribute(r);e&&r.startsWith(`on-`)?t.setAttribute(r,e.createScript(i,r)):t.setAttribute(r,i)}})();function Tt(e){let t=e.getAttribute(`is`);if(t&&yt[t]){let n=e;for(n.removeAttribute(`is`),e=n.ownerDocument.createElement(t),n.parentNode.replaceChild(e,n),e.appendChild(n);n.attributes.length;){let{name:t}=n.attributes[0];wt(e,n,t),n.removeAttribute(t)}}return e}function Et(e,t){let n=t.parentInfo&&Et(e,t.parentInfo);if(n){for(let e=n.firstChild,r=0;e;e=e.nextSibling)if(t.parentIndex===r++)return e}else return e}function Dt(e,t,n,r){r.id&&(t[r.id]=n)}function Ot(e,t,n){if(n.events&&n.events.length)for(let r=0,i=n.events,a;r<i.length&&(a=i[r]);r++)e._addMethodEventListenerToNode(t,a.name,a.value,e)}function kt(e,t,n,r){n.templateInfo&&(t._templateInfo=n.templateInfo,t._parentTemplateInfo=r)}function At(e,t,n){return e=e._methodHost||e,function(t){e[n]?e[n](t,t.detail):console.warn("listener method `"+n+"` not defined")}}var jt=_(e=>{class t extends e{static _parseTemplate(e,t){if(!e._templateInfo){let n=e._templateInfo={};n.nodeInfoList=[],n.nestedTemplate=!!t,n.stripWhiteSpace=t&&t.stripWhiteSpace||e.hasAttribute&&e.hasAttribute(`strip-whitespace`),this._parseTemplateContent(e,n,{parent:null})}return e._templateInfo}static _parseTemplateContent(e,t,n){return this._parseTemplateNode(e.content,t,n)}static _parseTemplateNode(e,t,n){let r=!1,i=e;return i.localName==`template`&&!i.hasAttribute(`preserve-content`)?r=this._parseTemplateNestedTemplate(i,t,n)||r:i.localName===`slot`&&(t.hasInsertionPoint=!0),Ct(i),i.firstChild&&this._parseTemplateChildNodes(i,t,n),i.hasAttributes&&i.hasAttributes()&&(r=this._parseTemplateNodeAttributes(i,t,n)||r),r||n.noted}static _parseTemplateChildNodes(e,t,n){if(e.localName!==`script`&&e.localName!==`style`)for(let r=e.firstChild,i=0,a;r;r=a){if(r.localName==`template`&&(r=Tt(r)),a=r.nextSibling,r.nodeType===Node.TEXT_NODE){let n=a;for(;n&&n.nodeType===Node.TEXT_NODE;)r.textContent+=n.textContent,a=n.nextSibling,e.removeChild(n),n=a;if(t.stripWhiteSpace&&!r.textContent.trim()){e.removeChild(r);continue}}let o={parentIndex:i,parentInfo:n};this._parseTemplateNode(r,t,o)&&(o.infoIndex=t.nodeInfoList.push(o)-1),r.parentNode&&i++}}static _parseTemplateNestedTemplate(e,t,n){let r=e,i=this._parseTemplate(r,t);return(i.content=r.content.ownerDocument.createDocumentFragment()).appendChild(r.content),n.templateInfo=i,!0}static _parseTemplateNodeAttributes(e,t,n){let r=!1,i=Array.from(e.attributes);for(let a=i.length-1,o;o=i[a];a--)r=this._parseTemplateNodeAttribute(e,t,n,o.name,o.value)||r;return r}static _parseTemplateNodeAttribute(e,t,n,r,i){return r.slice(0,3)===`on-`?(e.removeAttribute(r),n.events=n.events||[],n.events.push({name:r.slice(3),value:i}),!0):r===`id`&&(n.id=i,!0)}static _contentForTemplate(e){let t=e._templateInfo;return t&&t.content||e.content}_stampTemplate(e,t){e&&!e.content&&window.HTMLTemplateElement&&HTMLTemplateElement.decorate&&HTMLTemplateElement.decorate(e),t||=this.constructor._parseTemplate(e);let n=t.nodeInfoList,r=t.content||e.content,i=document.importNode(r,!0);i.__noInsertionPoint=!t.hasInsertionPoint;let a=i.nodeList=Array(n.length);i.$={};for(let e=0,r=n.length,o;e<r&&(o=n[e]);e++){let n=a[e]=Et(i,o);Dt(this,i.$,n,o),kt(this,n,o,t),Ot(this,n,o)}return i=i,i}_addMethodEventListenerToNode(e,t,n,r){r||=e;let i=At(r,t,n);return this._addEventListenerToNode(e,t,i),i}_addEventListenerToNode(e,t,n){e.addEventListener(t,n)}_removeEventListenerFromNode(e,t,n){e.removeEventListener(t,n)}}return t}),S=0,C=[],w={COMPUTE:`__computeEffects`,REFLECT:`__reflectEffects`,NOTIFY:`__notifyEffects`,PROPAGATE:`__propagateEffects`,OBSERVE:`__observeEffects`,READ_ONLY:`__readOnly`},Mt=`__computeInfo`,Nt=/[A-Z]/;function Pt(e,t,n){let r=e[t];if(!r)r=e[t]={};else if(!e.hasOwnProperty(t)&&(r=e[t]=Object.create(e[t]),n))for(let e in r){let t=r[e],n=r[e]=Array(t.length);for(let e=0;e<t.length;e++)n[e]=t[e]}return r}function T(e,t,n,r,i,a){if(t){let o=!1,s=S++;for(let c in n){let l=t[i?y(c):c];if(l)for(let t=0,u=l.length,d;t<u&&(d=l[t]);t++)d.info&&d.info.lastRun===s||i&&!It(c,d.trigger)||(d.info&&(d.info.lastRun=s),d.fn(e,c,n,r,d.info,i,a),o=!0)}return o}return!1}function Ft(e,t,n,r,i,a,o,s){let c=!1,l=t[o?y(r):r];if(l)for(let t=0,u=l.length,d;t<u&&(d=l[t]);t++)d.info&&d.info.lastRun===n||o&&!It(r,d.trigger)||(d.info&&(d.info.lastRun=n),d.fn(e,r,i,a,d.info,o,s),c=!0);return c}function It(e,t){if(t){let n=t.name;return n==e||!!(t.structured&&Ke(n,e))||!!(t.wildcard&&qe(n,e))}return!0}function Lt(e,t,n,r,i){let a=typeof i.method==`string`?e[i.method]:i.method,o=i.property;a?a.call(e,e.__data[o],r[o]):i.dynamicFn||console.warn("observer method `"+i.method+"` not defined")}function Rt(e,t,n,r,i){let a=e[w.NOTIFY],o,s=S++;for(let c in t)t[c]&&(a&&Ft(e,a,s,c,n,r,i)||i&&zt(e,c,n))&&(o=!0);let c;o&&(c=e.__dataHost)&&c._invalidateProperties&&c._invalidateProperties()}function zt(e,t,n){let r=y(t);return r!==t&&(Bt(e,rt(r)+`-changed`,n[t],t),!0)}function Bt(e,t,n,r){let i={value:n,queueProperty:!0};r&&(i.path=r),v(e).dispatchEvent(new CustomEvent(t,{detail:i}))}function Vt(e,t,n,r,i,a){let o=(a?y(t):t)==t?null:t,s=o?b(e,o):e.__data[t];o&&s===void 0&&(s=n[t]),Bt(e,i.eventName,s,o)}function Ht(e,t,n,r,i){let a,o=e.detail,s=o&&o.path;s?(r=Je(n,r,s),a=o&&o.value):a=e.currentTarget[n],a=i?!a:a,t[w.READ_ONLY]&&t[w.READ_ONLY][r]||!t._setPendingPropertyOrPath(r,a,!0,!!s)||o&&o.queueProperty||t._invalidateProperties()}function Ut(e,t,n,r,i){let a=e.__data[t];ge&&(a=ge(a,i.attrName,`attribute`,e)),e._propertyToAttribute(t,i.attrName,a)}function Wt(e,t,n,r){let i=e[w.COMPUTE];if(i){if(Se){S++;let a=qt(e),o=[];for(let e in t)Kt(e,i,o,a,r);let s;for(;s=o.shift();)Yt(e,``,t,n,s)&&Kt(s.methodInfo,i,o,a,r);Object.assign(n,e.__dataOld),Object.assign(t,e.__dataPending),e.__dataPending=null}else{let a=t;for(;T(e,i,a,n,r);)Object.assign(n,e.__dataOld),Object.assign(t,e.__dataPending),a=e.__dataPending,e.__dataPending=null}}}var Gt=(e,t,n)=>{let r=0,i=t.length-1,a=-1;for(;r<=i;){let o=r+i>>1,s=n.get(t[o].methodInfo)-n.get(e.methodInfo);if(s<0)r=o+1;else if(s>0)i=o-1;else{a=o;break}}a<0&&(a=i+1),t.splice(a,0,e)},Kt=(e,t,n,r,i)=>{let a=t[i?y(e):e];if(a)for(let t=0;t<a.length;t++){let o=a[t];o.info.lastRun!==S&&(!i||It(e,o.trigger))&&(o.info.lastRun=S,Gt(o.info,n,r))}};function qt(e){let t=e.constructor.__orderedComputedDeps;if(!t){t=new Map;let n=e[w.COMPUTE],{counts:r,ready:i,total:a}=Jt(e),o;for(;o=i.shift();){t.set(o,t.size);let e=n[o];e&&e.forEach(e=>{let t=e.info.methodInfo;--a,--r[t]===0&&i.push(t)})}a!==0&&console.warn(`Computed graph for ${e.localName} incomplete; circular?`),e.constructor.__orderedComputedDeps=t}return t}function Jt(e){let t=e[Mt],n={},r=e[w.COMPUTE],i=[],a=0;for(let e in t){let r=t[e];a+=n[e]=r.args.filter(e=>!e.literal).length+ +!!r.dynamicFn}for(let e in r)t[e]||i.push(e);return{counts:n,ready:i,total:a}}function Yt(e,t,n,r,i){let a=cn(e,t,n,r,i);if(a===C)return!1;let o=i.methodInfo;return e.__dataHasAccessor&&e.__dataHasAccessor[o]?e._setPendingProperty(o,a,!0):(e[o]=a,!1)}function Xt(e,t,n){let r=e.__dataLinkedPaths;if(r){let i;for(let a in r){let o=r[a];qe(a,t)?(i=Je(a,o,t),e._setPendingPropertyOrPath(i,n,!0,!0)):qe(o,t)&&(i=Je(o,a,t),e._setPendingPropertyOrPath(i,n,!0,!0))}}}function Zt(e,t,n,r,i,a,o){n.bindings=n.bindings||[];let s={kind:r,target:i,parts:a,literal:o,isCompound:a.length!==1};if(n.bindings.push(s),nn(s)){let{event:e,negate:t}=s.parts[0];s.listenerEvent=e||rt(i)+`-changed`,s.listenerNegate=t}let c=t.nodeInfoList.length;for(let n=0;n<s.parts.length;n++){let r=s.parts[n];r.compoundIndex=n,Qt(e,t,s,r,c)}}function Qt(e,t,n,r,i){if(!r.literal){if(n.kind===`attribute`&&n.target[0]===`-`)console.warn(`Cannot set attribute `+n.target+` because "-" is not a valid attribute starting character`);else{let a=r.dependencies,o={index:i,binding:n,part:r,evaluator:e};for(let n=0;n<a.length;n++){let r=a[n];typeof r==`string`&&(r=mn(r),r.wildcard=!0),e._addTemplatePropertyEffect(t,r.rootProperty,{fn:$t,info:o,trigger:r})}}}}function $t(e,t,n,r,i,a,o){let s=o[i.index],c=i.binding,l=i.part;if(a&&l.source&&t.length>l.source.length&&c.kind==`property`&&!c.isCompound&&s.__isPropertyEffectsClient&&s.__dataHasAccessor&&s.__dataHasAccessor[c.target]){let r=n[t];t=Je(l.source,c.target,t),s._setPendingPropertyOrPath(t,r,!1,!0)&&e._enqueueClient(s)}else{let o=i.evaluator._evaluateBinding(e,l,t,n,r,a);o!==C&&en(e,s,c,l,o)}}function en(e,t,n,r,i){if(i=tn(t,i,n,r),ge&&(i=ge(i,n.target,n.kind,t)),n.kind==`attribute`)e._valueToNodeAttribute(t,i,n.target);else{let r=n.target;t.__isPropertyEffectsClient&&t.__dataHasAccessor&&t.__dataHasAccessor[r]?t[w.READ_ONLY]&&t[w.READ_ONLY][r]||!t._setPendingProperty(r,i)||e._enqueueClient(t):e._setUnmanagedPropertyToNode(t,r,i)}}function tn(e,t,n,r){if(n.isCompound){let i=e.__dataCompoundStorage[n.target];i[r.compoundIndex]=t,t=i.join(``)}return n.kind!==`attribute`&&(n.target===`textContent`||n.target===`value`&&(e.localName===`input`||e.localName===`textarea`))&&(t??=``),t}function nn(e){return!!e.target&&e.kind!=`attribute`&&e.kind!=`text`&&!e.isCompound&&e.parts[0].mode===`{`}function rn(e,t){let{nodeList:n,nodeInfoList:r}=t;if(r.length)for(let t=0;t<r.length;t++){let i=r[t],a=n[t],o=i.bindings;if(o)for(let t=0;t<o.length;t++){let n=o[t];an(a,n),on(a,e,n)}a.__dataHost=e}}function an(e,t){if(t.isCompound){let n=e.__dataCompoundStorage||(e.__dataCompoundStorage={}),r=t.parts,i=Array(r.length);for(let e=0;e<r.length;e++)i[e]=r[e].literal;let a=t.target;n[a]=i,t.literal&&t.kind==`property`&&(a===`className`&&(e=v(e)),e[a]=t.literal)}}function on(e,t,n){if(n.listenerEvent){let r=n.parts[0];e.addEventListener(n.listenerEvent,function(e){Ht(e,t,n.target,r.source,r.negate)})}}function sn(e,t,n,r,i,a){a=t.static||a&&(typeof a!=`object`||a[t.methodName]);let o={methodName:t.methodName,args:t.args,methodInfo:i,dynamicFn:a};for(let i=0,a;i<t.args.length&&(a=t.args[i]);i++)a.literal||e._addPropertyEffect(a.rootProperty,n,{fn:r,info:o,trigger:a});return a&&e._addPropertyEffect(t.methodName,n,{fn:r,info:o}),o}function cn(e,t,n,r,i){let a=e._methodHost||e,o=a[i.methodName];if(o){let r=e._marshalArgs(i.args,t,n);return r===C?C:o.apply(a,r)}i.dynamicFn||console.warn("method `"+i.methodName+"` not defined")}var ln=[],un=RegExp(`(\\[\\[|{{)\\s*(?:(!)\\s*)?((?:[a-zA-Z_$][\\w.:$\\-*]*)\\s*(?:\\(\\s*(?:(?:(?:((?:[a-zA-Z_$][\\w.:$\\-*]*)|(?:[-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?)|(?:(?:'(?:[^'\\\\]|\\\\.)*')|(?:"(?:[^"\\\\]|\\\\.)*")))\\s*)(?:,\\s*(?:((?:[a-zA-Z_$][\\w.:$\\-*]*)|(?:[-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?)|(?:(?:'(?:[^'\\\\]|\\\\.)*')|(?:"(?:[^"\\\\]|\\\\.)*")))\\s*))*)?)\\)\\s*)?)(?:]]|}})`,`g`);function dn(e){let t=``;for(let n=0;n<e.length;n++){let r=e[n].literal;t+=r||``}return t}function fn(e){let t=e.match(/([^\s]+?)\(([\s\S]*)\)/);if(t){let e={methodName:t[1],static:!0,args:ln};return t[2].trim()?pn(t[2].replace(/\\,/g,`&comma;`).split(`,`),e):e}return null}function pn(e,t){return t.args=e.map(function(e){let n=mn(e);return n.literal||(t.static=!1),n},this),t}function mn(e){let t=e.trim().replace(/&comma;/g,`,`).replace(/\\(.)/g,`$1`),n={name:t,value:``,literal:!1},r=t[0];switch(r===`-`&&(r=t[1]),r>=`0`&&r<=`9`&&(r=`#`),r){case`'`:case`"`:n.value=t.slice(1,-1),n.literal=!0;break;case`#`:n.value=Number(t),n.literal=!0}return n.literal||(n.rootProperty=y(t),n.structured=Ge(t),n.structured&&(n.wildcard=t.slice(-2)==`.*`,n.wildcard&&(n.name=t.slice(0,-2)))),n}function hn(e,t,n){let r=b(e,n);return r===void 0&&(r=t[n]),r}function gn(e,t,n,r){let i={indexSplices:r};xe&&!e._overrideLegacyUndefined&&(t.splices=i),e.notifyPath(n+`.splices`,i),e.notifyPath(n+`.length`,t.length),xe&&!e._overrideLegacyUndefined&&(i.indexSplices=[])}function _n(e,t,n,r,i,a){gn(e,t,n,[{index:r,addedCount:i,removed:a,object:t,type:`splice`}])}function vn(e){return e[0].toUpperCase()+e.substring(1)}var yn=_(e=>{let t=jt(vt(e));class n extends t{constructor(){super(),this.__isPropertyEffectsClient=!0,this.__dataClientsReady,this.__dataPendingClients,this.__dataToNotify,this.__dataLinkedPaths,this.__dataHasPaths,this.__dataCompoundStorage,this.__dataHost,this.__dataTemp,this.__dataClientsInitialized,this.__data,this.__dataPending,this.__dataOld,this.__computeEffects,this.__computeInfo,this.__reflectEffects,this.__notifyEffects,this.__propagateEffects,this.__observeEffects,this.__readOnly,this.__templateInfo,this._overrideLegacyUndefined}get PROPERTY_EFFECT_TYPES(){return w}_initializeProperties(){super._initializeProperties(),this._registerHost(),this.__dataClientsReady=!1,this.__dataPendingClients=null,this.__dataToNotify=null,this.__dataLinkedPaths=null,this.__dataHasPaths=!1,this.__dataCompoundStorage=this.__dataCompoundStorage||null,this.__dataHost=this.__dataHost||null,this.__dataTemp={},this.__dataClientsInitialized=!1}_registerHost(){if(bn.length){let e=bn[bn.length-1];e._enqueueClient(this),this.__dataHost=e}}_initializeProtoProperties(e){this.__data=Object.create(e),this.__dataPending=Object.create(e),this.__dataOld={}}_initializeInstanceProperties(e){let t=this[w.READ_ONLY];for(let n in e)t&&t[n]||(this.__dataPending=this.__dataPending||{},this.__dataOld=this.__dataOld||{},this.__data[n]=this.__dataPending[n]=e[n])}_addPropertyEffect(e,t,n){this._createPropertyAccessor(e,t==w.READ_ONLY);let r=Pt(this,t,!0)[e];r||=this[t][e]=[],r.push(n)}_removePropertyEffect(e,t,n){let r=Pt(this,t,!0)[e],i=r.indexOf(n);i>=0&&r.splice(i,1)}_hasPropertyEffect(e,t){let n=this[t];return!!(n&&n[e])}_hasReadOnlyEffect(e){return this._hasPropertyEffect(e,w.READ_ONLY)}_hasNotifyEffect(e){return this._hasPropertyEffect(e,w.NOTIFY)}_hasReflectEffect(e){return this._hasPropertyEffect(e,w.REFLECT)}_hasComputedEffect(e){return this._hasPropertyEffect(e,w.COMPUTE)}_setPendingPropertyOrPath(e,t,n,r){if(r||y(Array.isArray(e)?e[0]:e)!==e){if(!r){let n=b(this,e);if(e=Qe(this,e,t),!e||!super._shouldPropertyChange(e,t,n))return!1}if(this.__dataHasPaths=!0,this._setPendingProperty(e,t,n))return Xt(this,e,t),!0}else if(this.__dataHasAccessor&&this.__dataHasAccessor[e])return this._setPendingProperty(e,t,n);else this[e]=t;return!1}_setUnmanagedPropertyToNode(e,t,n){(n!==e[t]||typeof n==`object`)&&(t===`className`&&(e=v(e)),e[t]=n)}_setPendingProperty(e,t,n){let r=this.__dataHasPaths&&Ge(e),i=r?this.__dataTemp:this.__data;return this._shouldPropertyChange(e,t,i[e])?(this.__dataPending||(this.__dataPending={},this.__dataOld={}),e in this.__dataOld||(this.__dataOld[e]=this.__data[e]),r?this.__dataTemp[e]=t:this.__data[e]=t,this.__dataPending[e]=t,(r||this[w.NOTIFY]&&this[w.NOTIFY][e])&&(this.__dataToNotify=this.__dataToNotify||{},this.__dataToNotify[e]=n),!0):!1}_setProperty(e,t){this._setPendingProperty(e,t,!0)&&this._invalidateProperties()}_invalidateProperties(){this.__dataReady&&this._flushProperties()}_enqueueClient(e){this.__dataPendingClients=this.__dataPendingClients||[],e!==this&&this.__dataPendingClients.push(e)}_flushClients(){this.__dataClientsReady?this.__enableOrFlushClients():(this.__dataClientsReady=!0,this._readyClients(),this.__dataReady=!0)}__enableOrFlushClients(){let e=this.__dataPendingClients;if(e){this.__dataPendingClients=null;for(let t=0;t<e.length;t++){let n=e[t];n.__dataEnabled?n.__dataPending&&n._flushProperties():n._enableProperties()}}}_readyClients(){this.__enableOrFlushClients()}setProperties(e,t){for(let n in e)!t&&this[w.READ_ONLY]&&this[w.READ_ONLY][n]||this._setPendingPropertyOrPath(n,e[n],!0);this._invalidateProperties()}ready(){this._flushProperties(),this.__dataClientsReady||this._flushClients(),this.__dataPending&&this._flushProperties()}_propertiesChanged(e,t,n){let r=this.__dataHasPaths;this.__dataHasPaths=!1;let i;Wt(this,t,n,r),i=this.__dataToNotify,this.__dataToNotify=null,this._propagatePropertyChanges(t,n,r),this._flushClients(),T(this,this[w.REFLECT],t,n,r),T(this,this[w.OBSERVE],t,n,r),i&&Rt(this,i,t,n,r),this.__dataCounter==1&&(this.__dataTemp={})}_propagatePropertyChanges(e,t,n){this[w.PROPAGATE]&&T(this,this[w.PROPAGATE],e,t,n),this.__templateInfo&&this._runEffectsForTemplate(this.__templateInfo,e,t,n)}_runEffectsForTemplate(e,t,n,r){let i=(t,r)=>{T(this,e.propertyEffects,t,n,r,e.nodeList);for(let i=e.firstChild;i;i=i.nextSibling)this._runEffectsForTemplate(i,t,n,r)};e.runEffects?e.runEffects(i,t,r):i(t,r)}linkPaths(e,t){e=Xe(e),t=Xe(t),this.__dataLinkedPaths=this.__dataLinkedPaths||{},this.__dataLinkedPaths[e]=t}unlinkPaths(e){e=Xe(e),this.__dataLinkedPaths&&delete this.__dataLinkedPaths[e]}notifySplices(e,t){let n={path:``},r=b(this,e,n);gn(this,r,n.path,t)}get(e,t){return b(t||this,e)}set(e,t,n){n?Qe(n,e,t):this[w.READ_ONLY]&&this[w.READ_ONLY][e]||!this._setPendingPropertyOrPath(e,t,!0)||this._invalidateProperties()}push(e,...t){let n={path:``},r=b(this,e,n),i=r.length,a=r.push(...t);return t.length&&_n(this,r,n.path,i,t.length,[]),a}pop(e){let t={path:``},n=b(this,e,t),r=!!n.length,i=n.pop();return r&&_n(this,n,t.path,n.length,0,[i]),i}splice(e,t,n,...r){let i={path:``},a=b(this,e,i);t<0?t=a.length-Math.floor(-t):t&&=Math.floor(t);let o;return o=arguments.length===2?a.splice(t):a.splice(t,n,...r),(r.length||o.length)&&_n(this,a,i.path,t,r.length,o),o}shift(e){let t={path:``},n=b(this,e,t),r=!!n.length,i=n.shift();return r&&_n(this,n,t.path,0,0,[i]),i}unshift(e,...t){let n={path:``},r=b(this,e,n),i=r.unshift(...t);return t.length&&_n(this,r,n.path,0,t.length,[]),i}notifyPath(e,t){let n;if(arguments.length==1){let r={path:``};t=b(this,e,r),n=r.path}else n=Array.isArray(e)?Xe(e):e;this._setPendingPropertyOrPath(n,t,!0,!0)&&this._invalidateProperties()}_createReadOnlyProperty(e,t){this._addPropertyEffect(e,w.READ_ONLY),t&&(this[`_set`+vn(e)]=function(t){this._setProperty(e,t)})}_createPropertyObserver(e,t,n){let r={property:e,method:t,dynamicFn:!!n};this._addPropertyEffect(e,w.OBSERVE,{fn:Lt,info:r,trigger:{name:e}}),n&&this._addPropertyEffect(t,w.OBSERVE,{fn:Lt,info:r,trigger:{name:t}})}_createMethodObserver(e,t){let n=fn(e);if(!n)throw Error(`Malformed observer expression '`+e+`'`);sn(this,n,w.OBSERVE,cn,null,t)}_createNotifyingProperty(e){this._addPropertyEffect(e,w.NOTIFY,{fn:Vt,info:{eventName:rt(e)+`-changed`,property:e}})}_createReflectedProperty(e){let t=this.constructor.attributeNameForProperty(e);t[0]===`-`?console.warn(`Property `+e+` cannot be reflected to attribute `+t+` because "-" is not a valid starting attribute name. Use a lowercase first letter for the property instead.`):this._addPropertyEffect(e,w.REFLECT,{fn:Ut,info:{attrName:t}})}_createComputedProperty(e,t,n){let r=fn(t);if(!r)throw Error(`Malformed computed expression '`+t+`'`);let i=sn(this,r,w.COMPUTE,Yt,e,n);Pt(this,Mt)[e]=i}_marshalArgs(e,t,n){let r=this.__data,i=[];for(let a=0,o=e.length;a<o;a++){let{name:o,structured:s,wildcard:c,value:l,literal:u}=e[a];if(!u){if(c){let e=qe(o,t),i=hn(r,n,e?t:o);l={path:e?t:o,value:i,base:e?b(r,o):i}}else l=s?hn(r,n,o):r[o]}if(xe&&!this._overrideLegacyUndefined&&l===void 0&&e.length>1)return C;i[a]=l}return i}static addPropertyEffect(e,t,n){this.prototype._addPropertyEffect(e,t,n)}static createPropertyObserver(e,t,n){this.prototype._createPropertyObserver(e,t,n)}static createMethodObserver(e,t){this.prototype._createMethodObserver(e,t)}static createNotifyingProperty(e){this.prototype._createNotifyingProperty(e)}static createReadOnlyProperty(e,t){this.prototype._createReadOnlyProperty(e,t)}static createReflectedProperty(e){this.prototype._createReflectedProperty(e)}static createComputedProperty(e,t,n){this.prototype._createComputedProperty(e,t,n)}static bindTemplate(e){return this.prototype._bindTemplate(e)}_bindTemplate(e,t){let n=this.constructor._parseTemplate(e),r=this.__preBoundTemplateInfo==n;if(!r)for(let e in n.propertyEffects)this._createPropertyAccessor(e);if(t){if(n=Object.create(n),n.wasPreBound=r,!this.__templateInfo)this.__templateInfo=n;else{let t=e._parentTemplateInfo||this.__templateInfo,r=t.lastChild;n.parent=t,t.lastChild=n,n.previousSibling=r,r?r.nextSibling=n:t.firstChild=n}}else this.__preBoundTemplateInfo=n;return n}static _addTemplatePropertyEffect(e,t,n){let r=e.hostProps=e.hostProps||{};r[t]=!0;let i=e.propertyEffects=e.propertyEffects||{};(i[t]=i[t]||[]).push(n)}_stampTemplate(e,t){t||=this._bindTemplate(e,!0),bn.push(this);let n=super._stampTemplate(e,t);if(bn.pop(),t.nodeList=n.nodeList,!t.wasPreBound){let e=t.childNodes=[];for(let t=n.firstChild;t;t=t.nextSibling)e.push(t)}return n.templateInfo=t,rn(this,t),this.__dataClientsReady&&(this._runEffectsForTemplate(t,this.__data,null,!1),this._flushClients()),n}_removeBoundDom(e){let t=e.templateInfo,{previousSibling:n,nextSibling:r,parent:i}=t;n?n.nextSibling=r:i&&(i.firstChild=r),r?r.previousSibling=n:i&&(i.lastChild=n),t.nextSibling=t.previousSibling=null;let a=t.childNodes;for(let e=0;e<a.length;e++){let t=a[e];v(v(t).parentNode).removeChild(t)}}static _parseTemplateNode(e,n,r){let i=t._parseTemplateNode.call(this,e,n,r);if(e.nodeType===Node.TEXT_NODE){let t=this._parseBindings(e.textContent,n);t&&(e.textContent=dn(t)||` `,Zt(this,n,r,`text`,`textContent`,t),i=!0)}return i}static _parseTemplateNodeAttribute(e,n,r,i,a){let o=this._parseBindings(a,n);if(o){let t=i,a=`property`;Nt.test(i)?a=`attribute`:i[i.length-1]==`$`&&(i=i.slice(0,-1),a=`attribute`);let s=dn(o);return s&&a==`attribute`&&(i==`class`&&e.hasAttribute(`class`)&&(s+=` `+e.getAttribute(i)),e.setAttribute(i,s)),a==`attribute`&&t==`disable-upgrade$`&&e.setAttribute(i,``),e.localName===`input`&&t===`value`&&e.setAttribute(t,``),e.removeAttribute(t),a===`property`&&(i=nt(i)),Zt(this,n,r,a,i,o,s),!0}return t._parseTemplateNodeAttribute.call(this,e,n,r,i,a)}static _parseTemplateNestedTemplate(e,n,r){let i=t._parseTemplateNestedTemplate.call(this,e,n,r),a=e.parentNode,o=r.templateInfo,s=a.localName===`dom-if`,c=a.localName===`dom-repeat`;Ce&&(s||c)&&(a.removeChild(e),r=r.parentInfo,r.templateInfo=o,r.noted=!0,i=!1);let l=o.hostProps;if(we&&s)l&&(n.hostProps=Object.assign(n.hostProps||{},l),Ce||(r.parentInfo.noted=!0));else for(let e in l){let t=[{mode:`{`,source:e,dependencies:[e],hostProp:!0}];Zt(this,n,r,`property`,`_host_`+e,t)}return i}static _parseBindings(e,t){let n=[],r=0,i;for(;(i=un.exec(e))!==null;){i.index>r&&n.push({literal:e.slice(r,i.index)});let a=i[1][0],o=!!i[2],s=i[3].trim(),c=!1,l=``,u=-1;a==`{`&&(u=s.indexOf(`::`))>0&&(l=s.substring(u+2),s=s.substring(0,u),c=!0);let d=fn(s),f=[];if(d){let{args:e,methodName:n}=d;for(let t=0;t<e.length;t++){let n=e[t];n.literal||f.push(n)}let r=t.dynamicFns;(r&&r[n]||d.static)&&(f.push(n),d.dynamicFn=!0)}else f.push(s);n.push({source:s,mode:a,negate:o,customEvent:c,signature:d,dependencies:f,event:l}),r=un.lastIndex}if(r&&r<e.length){let t=e.substring(r);t&&n.push({literal:t})}return n.length?n:null}static _evaluateBinding(e,t,n,r,i,a){let o;return o=t.signature?cn(e,n,r,i,t.signature):n==t.source?a&&Ge(n)?b(e,n):e.__data[n]:b(e,t.source),t.negate&&(o=!o),o}}return n}),bn=[],xn=0;function Sn(){xn++}var Cn=[];function wn(e){Cn.push(e)}function Tn(e){let t={};for(let n in e){let r=e[n];t[n]=typeof r==`function`?{type:r}:r}return t}var En=_(e=>{let t=pt(e);function n(e){let t=Object.getPrototypeOf(e);return t.prototype instanceof i?t:null}function r(e){if(!e.hasOwnProperty(JSCompiler_renameProperty(`__ownProperties`,e))){let t=null;if(e.hasOwnProperty(JSCompiler_renameProperty(`properties`,e))){let n=e.properties;n&&(t=Tn(n))}e.__ownProperties=t}return e.__ownProperties}class i extends t{static get observedAttributes(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__observedAttributes`,this))){wn(this.prototype);let e=this._properties;this.__observedAttributes=e?Object.keys(e).map(e=>this.prototype._addPropertyToAttributeMap(e)):[]}return this.__observedAttributes}static finalize(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__finalized`,this))){let e=n(this);e&&e.finalize(),this.__finalized=!0,this._finalizeClass()}}static _finalizeClass(){let e=r(this);e&&this.createProperties(e)}static get _properties(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`__properties`,this))){let e=n(this);this.__properties=Object.assign({},e&&e._properties,r(this))}return this.__properties}static typeForProperty(e){let t=this._properties[e];return t&&t.type}_initializeProperties(){Sn(),this.constructor.finalize(),super._initializeProperties()}connectedCallback(){super.connectedCallback&&super.connectedCallback(),this._enableProperties()}disconnectedCallback(){super.disconnectedCallback&&super.disconnectedCallback()}}return i}),Dn=`3.5.2`,On=window.ShadyCSS&&window.ShadyCSS.cssBuild,kn=_(e=>{let t=En(yn(e));function n(e){if(!e.hasOwnProperty(JSCompiler_renameProperty(`__propertyDefaults`,e))){e.__propertyDefaults=null;let t=e._properties;for(let n in t){let r=t[n];`value`in r&&(e.__propertyDefaults=e.__propertyDefaults||{},e.__propertyDefaults[n]=r)}}return e.__propertyDefaults}function r(e){return e.hasOwnProperty(JSCompiler_renameProperty(`__ownObservers`,e))||(e.__ownObservers=e.hasOwnProperty(JSCompiler_renameProperty(`observers`,e))?e.observers:null),e.__ownObservers}function i(e,t,n,r){n.computed&&(n.readOnly=!0),n.computed&&(e._hasReadOnlyEffect(t)?console.warn(`Cannot redefine computed property '${t}'.`):e._createComputedProperty(t,n.computed,r)),n.readOnly&&!e._hasReadOnlyEffect(t)?e._createReadOnlyProperty(t,!n.computed):n.readOnly===!1&&e._hasReadOnlyEffect(t)&&console.warn(`Cannot make readOnly property '${t}' non-readOnly.`),n.reflectToAttribute&&!e._hasReflectEffect(t)?e._createReflectedProperty(t):n.reflectToAttribute===!1&&e._hasReflectEffect(t)&&console.warn(`Cannot make reflected property '${t}' non-reflected.`),n.notify&&!e._hasNotifyEffect(t)?e._createNotifyingProperty(t):n.notify===!1&&e._hasNotifyEffect(t)&&console.warn(`Cannot make notify property '${t}' non-notify.`),n.observer&&e._createPropertyObserver(t,n.observer,r[n.observer]),e._addPropertyToAttributeMap(t)}function a(e,t,n,r){if(!On){let i=t.content.querySelectorAll(`style`),a=He(t),o=Ue(n),s=t.content.firstElementChild;for(let n=0;n<o.length;n++){let i=o[n];i.textContent=e._processStyleText(i.textContent,r),t.content.insertBefore(i,s)}let c=0;for(let t=0;t<a.length;t++){let n=a[t],o=i[c];o===n?c++:(n=n.cloneNode(!0),o.parentNode.insertBefore(n,o)),n.textContent=e._processStyleText(n.textContent,r)}}if(window.ShadyCSS&&window.ShadyCSS.prepareTemplate(t,n),Ee&&On&&me){let n=t.content.querySelectorAll(`style`);if(n){let t=``;Array.from(n).forEach(e=>{t+=e.textContent,e.parentNode.removeChild(e)}),e._styleSheet=new CSSStyleSheet,e._styleSheet.replaceSync(t)}}}function o(e){let t=null;if(e&&(!g||_e)&&(t=Pe.import(e,`template`),g&&!t))throw Error(`strictTemplatePolicy: expecting dom-module or null template for ${e}`);return t}class s extends t{static get polymerElementVersion(){return Dn}static _finalizeClass(){t._finalizeClass.call(this);let e=r(this);e&&this.createObservers(e,this._properties),this._prepareTemplate()}static _prepareTemplate(){let e=this.template;e&&(typeof e==`string`?(console.error(`template getter must return HTMLTemplateElement`),e=null):ve||(e=e.cloneNode(!0))),this.prototype._template=e}static createProperties(e){for(let t in e)i(this.prototype,t,e[t],e)}static createObservers(e,t){let n=this.prototype;for(let r=0;r<e.length;r++)n._createMethodObserver(e[r],t)}static get template(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`_template`,this))){let e=this.prototype.hasOwnProperty(JSCompiler_renameProperty(`_template`,this.prototype))?this.prototype._template:void 0;typeof e==`function`&&(e=e()),this._template=e===void 0?this.hasOwnProperty(JSCompiler_renameProperty(`is`,this))&&o(this.is)||Object.getPrototypeOf(this.prototype).constructor.template:e}return this._template}static set template(e){this._template=e}static get importPath(){if(!this.hasOwnProperty(JSCompiler_renameProperty(`_importPath`,this))){let e=this.importMeta;if(e)this._importPath=fe(e.url);else{let e=Pe.import(this.is);this._importPath=e&&e.assetpath||Object.getPrototypeOf(this.prototype).constructor.importPath}}return this._importPath}constructor(){super(),this._template,this._importPath,this.rootPath,this.importPath,this.root,this.$}_initializeProperties(){this.constructor.finalize(),this.constructor._finalizeTemplate(this.localName),super._initializeProperties(),this.rootPath=he,this.importPath=this.constructor.importPath;let e=n(this.constructor);if(e)for(let t in e){let n=e[t];if(this._canApplyPropertyDefault(t)){let e=typeof n.value==`function`?n.value.call(this):n.value;this._hasAccessor(t)?this._setPendingProperty(t,e,!0):this[t]=e}}}_canApplyPropertyDefault(e){return!this.hasOwnProperty(e)}static _processStyleText(e,t){return de(e,t)}static _finalizeTemplate(e){let t=this.prototype._template;if(t&&!t.__polymerFinalized){t.__polymerFinalized=!0;let n=this.importPath,r=n?h(n):``;a(this,t,e,r),this.prototype._bindTemplate(t)}}connectedCallback(){window.ShadyCSS&&this._template&&window.ShadyCSS.styleElement(this),super.connectedCallback()}ready(){this._template&&(this.root=this._stampTemplate(this._template),this.$=this.root.$),super.ready()}_readyClients(){this._template&&(this.root=this._attachDom(this.root)),super._readyClients()}_attachDom(e){let t=v(this);if(t.attachShadow)return e?(t.shadowRoot||(t.attachShadow({mode:`open`,shadyUpgradeFragment:e}),t.shadowRoot.appendChild(e),this.constructor._styleSheet&&(t.shadowRoot.adoptedStyleSheets=[this.constructor._styleSheet])),be&&window.ShadyDOM&&window.ShadyDOM.flushInitial(t.shadowRoot),t.shadowRoot):null;throw Error("ShadowDOM not available. PolymerElement can create dom as children instead of in ShadowDOM by setting `this.root = this;` before `ready`.")}updateStyles(e){window.ShadyCSS&&window.ShadyCSS.styleSubtree(this,e)}resolveUrl(e,t){return!t&&this.importPath&&(t=h(this.importPath)),h(e,t)}static _parseTemplateContent(e,n,r){return n.dynamicFns=n.dynamicFns||this._properties,t._parseTemplateContent.call(this,e,n,r)}static _addTemplatePropertyEffect(e,n,r){return!ye||n in this._properties||r.info.part.signature&&r.info.part.signature.static||r.info.part.hostProp||e.nestedTemplate||console.warn(`Property '${n}' used in template but not declared in 'properties'; attribute will not be observed.`),t._addTemplatePropertyEffect.call(this,e,n,r)}}return s}),An=window.trustedTypes&&trustedTypes.createPolicy(`polymer-html-literal`,{createHTML:e=>e}),jn=class{constructor(e,t){Pn(e,t);let n=t.reduce((t,n,r)=>t+Mn(n)+e[r+1],e[0]);this.value=n.toString()}toString(){return this.value}};function Mn(e){if(e instanceof jn)return e.value;throw Error(`non-literal value passed to Polymer's htmlLiteral function: ${e}`)}function Nn(e){if(e instanceof HTMLTemplateElement)return e.innerHTML;if(e instanceof jn)return Mn(e);throw Error(`non-template value passed to Polymer's html function: ${e}`)}var E=function(e,...t){Pn(e,t);let n=document.createElement(`template`),r=t.reduce((t,n,r)=>t+Nn(n)+e[r+1],e[0]);return An&&(r=An.createHTML(r)),n.innerHTML=r,n},Pn=(e,t)=>{if(!Array.isArray(e)||!Array.isArray(e.raw)||t.length!==e.length-1)throw TypeError(`Invalid call to the html template tag`)},D=kn(HTMLElement),Fn=class e{constructor(){this._asyncModule=null,this._callback=null,this._timer=null}setConfig(e,t){this._asyncModule=e,this._callback=t,this._timer=this._asyncModule.run(()=>{this._timer=null,In.delete(this),this._callback()})}cancel(){this.isActive()&&(this._cancelAsync(),In.delete(this))}_cancelAsync(){this.isActive()&&(this._asyncModule.cancel(this._timer),this._timer=null)}flush(){this.isActive()&&(this.cancel(),this._callback())}isActive(){return this._timer!=null}static debounce(t,n,r){return t instanceof e?t._cancelAsync():t=new e,t.setConfig(n,r),t}},In=new Set,Ln=function(e){In.add(e)},Rn=function(){let e=!!In.size;return In.forEach(e=>{try{e.flush()}catch(e){setTimeout(()=>{throw e})}}),e},zn=function(){let e,t;do e=window.ShadyDOM&&ShadyDOM.flush(),window.ShadyCSS&&window.ShadyCSS.ScopingShim&&window.ShadyCSS.ScopingShim.flush(),t=Rn();while(e||t)},Bn=!1;function Vn(){if(ve&&!pe){if(!Bn){Bn=!0;let e=document.createElement(`style`);e.textContent=`dom-bind,dom-if,dom-repeat{display:none;}`,document.head.appendChild(e)}return!0}return!1}function Hn(e,t,n,r,i){let a;i&&(a=typeof n==`object`&&!!n,a&&(r=e.__dataTemp[t]));let o=r!==n&&(r===r||n===n);return a&&o&&(e.__dataTemp[t]=n),o}var Un=_(e=>{class t extends e{_shouldPropertyChange(e,t,n){return Hn(this,e,t,n,!0)}}return t}),Wn=_(e=>{class t extends e{static get properties(){return{mutableData:Boolean}}_shouldPropertyChange(e,t,n){return Hn(this,e,t,n,this.mutableData)}}return t});Un._mutablePropertyChange=Hn;var Gn=null;function Kn(){return Gn}Kn.prototype=Object.create(HTMLTemplateElement.prototype,{constructor:{value:Kn,writable:!0}});var qn=yn(Kn),Jn=Un(qn);function Yn(e,t){Gn=e,Object.setPrototypeOf(e,t.prototype),new t,Gn=null}var Xn=yn(class{});function Zn(e,t){for(let n=0;n<t.length;n++){let r=t[n];if(!!e!=!!r.__hideTemplateChildren__){if(r.nodeType===Node.TEXT_NODE)e?(r.__polymerTextContent__=r.textContent,r.textContent=``):r.textContent=r.__polymerTextContent__;else if(r.localName===`slot`){if(e)r.__polymerReplaced__=document.createComment(`hidden-slot`),v(v(r).parentNode).replaceChild(r.__polymerReplaced__,r);else{let e=r.__polymerReplaced__;e&&v(v(e).parentNode).replaceChild(r,e)}}else r.style&&(e?(r.__polymerDisplay__=r.style.display,r.style.display=`none`):r.style.display=r.__polymerDisplay__)}r.__hideTemplateChildren__=e,r._showHideChildren&&r._showHideChildren(e)}}var O=class extends Xn{constructor(e){super(),this._configureProperties(e),this.root=this._stampTemplate(this.__dataHost);let t=[];this.children=t;for(let e=this.root.firstChild;e;e=e.nextSibling)t.push(e),e.__templatizeInstance=this;this.__templatizeOwner&&this.__templatizeOwner.__hideTemplateChildren__&&this._showHideChildren(!0);let n=this.__templatizeOptions;(e&&n.instanceProps||!n.instanceProps)&&this._enableProperties()}_configureProperties(e){if(this.__templatizeOptions.forwardHostProp)for(let e in this.__hostProps)this._setPendingProperty(e,this.__dataHost[`_host_`+e]);for(let t in e)this._setPendingProperty(t,e[t])}forwardHostProp(e,t){this._setPendingPropertyOrPath(e,t,!1,!0)&&this.__dataHost._enqueueClient(this)}_addEventListenerToNode(e,t,n){if(this._methodHost&&this.__templatizeOptions.parentModel)this._methodHost._addEventListenerToNode(e,t,e=>{e.model=this,n(e)});else{let r=this.__dataHost.__dataHost;r&&r._addEventListenerToNode(e,t,n)}}_showHideChildren(e){Zn(e,this.children)}_setUnmanagedPropertyToNode(e,t,n){e.__hideTemplateChildren__&&e.nodeType==Node.TEXT_NODE&&t==`textContent`?e.__polymerTextContent__=n:super._setUnmanagedPropertyToNode(e,t,n)}get parentModel(){let e=this.__parentModel;if(!e){let t;e=this;do e=e.__dataHost.__dataHost;while((t=e.__templatizeOptions)&&!t.parentModel);this.__parentModel=e}return e}dispatchEvent(e){return!0}};O.prototype.__dataHost,O.prototype.__templatizeOptions,O.prototype._methodHost,O.prototype.__templatizeOwner,O.prototype.__hostProps;var Qn=Un(O);function $n(e){let t=e.__dataHost;return t&&t._methodHost||t}function er(e,t,n){let r=n.mutableData?Qn:O;or.mixin&&(r=or.mixin(r));let i=class extends r{};return i.prototype.__templatizeOptions=n,i.prototype._bindTemplate(e),rr(i,e,t,n),i}function tr(e,t,n,r){let i=n.forwardHostProp;if(i&&t.hasHostProps){let a=e.localName==`template`,o=t.templatizeTemplateClass;if(!o){if(a){let e=n.mutableData?Jn:qn;class r extends e{}o=t.templatizeTemplateClass=r}else{let n=e.constructor;class r extends n{}o=t.templatizeTemplateClass=r}let s=t.hostProps;for(let e in s)o.prototype._addPropertyEffect(`_host_`+e,o.prototype.PROPERTY_EFFECT_TYPES.PROPAGATE,{fn:nr(e,i)}),o.prototype._createNotifyingProperty(`_host_`+e);ye&&r&&sr(t,n,r)}if(e.__dataProto&&Object.assign(e.__data,e.__dataProto),a)Yn(e,o),e.__dataTemp={},e.__dataPending=null,e.__dataOld=null,e._enableProperties();else{Object.setPrototypeOf(e,o.prototype);let n=t.hostProps;for(let t in n)if(t=`_host_`+t,t in e){let n=e[t];delete e[t],e.__data[t]=n}}}}function nr(e,t){return function(e,n,r){t.call(e.__templatizeOwner,n.substring(6),r[n])}}function rr(e,t,n,r){let i=n.hostProps||{};for(let t in r.instanceProps){delete i[t];let n=r.notifyInstanceProp;n&&e.prototype._addPropertyEffect(t,e.prototype.PROPERTY_EFFECT_TYPES.NOTIFY,{fn:ir(t,n)})}if(r.forwardHostProp&&t.__dataHost)for(let t in i)n.hasHostProps||=!0,e.prototype._addPropertyEffect(t,e.prototype.PROPERTY_EFFECT_TYPES.NOTIFY,{fn:ar()})}function ir(e,t){return function(e,n,r){t.call(e.__templatizeOwner,e,n,r[n])}}function ar(){return function(e,t,n){e.__dataHost._setPendingPropertyOrPath(`_host_`+t,n[t],!0,!0)}}function or(e,t,n){if(g&&!$n(e))throw Error(`strictTemplatePolicy: template owner not trusted`);if(n||={},e.__templatizeOwner)throw Error(`A <template> can only be templatized once`);e.__templatizeOwner=t;let r=(t?t.constructor:O)._parseTemplate(e),i=r.templatizeInstanceClass;i||(i=er(e,r,n),r.templatizeInstanceClass=i);let a=$n(e);tr(e,r,n,a);let o=class extends i{};return o.prototype._methodHost=a,o.prototype.__dataHost=e,o.prototype.__templatizeOwner=t,o.prototype.__hostProps=r.hostProps,o=o,o}function sr(e,t,n){let r=n.constructor._properties,{propertyEffects:i}=e,{instanceProps:a}=t;for(let e in i)if(!r[e]&&!(a&&a[e])){let t=i[e];for(let n=0;n<t.length;n++){let{part:r}=t[n].info;if(!(r.signature&&r.signature.static)){console.warn(`Property '${e}' used in template but not declared in 'properties'; attribute will not be observed.`);break}}}}function cr(e,t){let n;for(;t;)if(n=t.__dataHost?t:t.__templatizeInstance){if(n.__dataHost!=e)t=n.__dataHost;else return n}else t=v(t).parentNode;return null}var lr=class extends D{static get is(){return`dom-if`}static get template(){return null}static get properties(){return{if:{type:Boolean,observer:`__debounceRender`},restamp:{type:Boolean,observer:`__debounceRender`},notifyDomChange:{type:Boolean}}}constructor(){super(),this.__renderDebouncer=null,this._lastIf=!1,this.__hideTemplateChildren__=!1,this.__template,this._templateInfo}__debounceRender(){this.__renderDebouncer=Fn.debounce(this.__renderDebouncer,dt,()=>this.__render()),Ln(this.__renderDebouncer)}disconnectedCallback(){super.disconnectedCallback();let e=v(this).parentNode;(!e||e.nodeType==Node.DOCUMENT_FRAGMENT_NODE&&!v(e).host)&&this.__teardownInstance()}connectedCallback(){super.connectedCallback(),Vn()||(this.style.display=`none`),this.if&&this.__debounceRender()}__ensureTemplate(){if(!this.__template){let e=this,t=e._templateInfo?e:v(e).querySelector(`template`);if(!t){let e=new MutationObserver(()=>{if(v(this).querySelector(`template`))e.disconnect(),this.__render();else throw Error(`dom-if requires a <template> child`)});return e.observe(this,{childList:!0}),!1}this.__template=t}return!0}__ensureInstance(){let e=v(this).parentNode;if(this.__hasInstance()){let t=this.__getInstanceNodes();if(t&&t.length&&v(this).previousSibling!==t[t.length-1])for(let n=0,r;n<t.length&&(r=t[n]);n++)v(e).insertBefore(r,this)}else{if(!e||!this.__ensureTemplate())return!1;this.__createAndInsertInstance(e)}return!0}render(){zn()}__render(){if(this.if){if(!this.__ensureInstance())return}else this.restamp&&this.__teardownInstance();this._showHideChildren(),(!Te||this.notifyDomChange)&&this.if!=this._lastIf&&(this.dispatchEvent(new CustomEvent(`dom-change`,{bubbles:!0,composed:!0})),this._lastIf=this.if)}__hasInstance(){}__getInstanceNodes(){}__createAndInsertInstance(e){}__teardownInstance(){}_showHideChildren(){}},ur=we?class extends lr{constructor(){super(),this.__instance=null,this.__syncInfo=null}__hasInstance(){return!!this.__instance}__getInstanceNodes(){return this.__instance.templateInfo.childNodes}__createAndInsertInstance(e){let t=this.__dataHost||this;if(g&&!this.__dataHost)throw Error(`strictTemplatePolicy: template owner not trusted`);let n=t._bindTemplate(this.__template,!0);n.runEffects=(e,t,n)=>{let r=this.__syncInfo;if(this.if)r&&(this.__syncInfo=null,this._showHideChildren(),t=Object.assign(r.changedProps,t)),e(t,n);else if(this.__instance){if(r||=this.__syncInfo={runEffects:e,changedProps:{}},n)for(let e in t){let t=y(e);r.changedProps[t]=this.__dataHost[t]}else Object.assign(r.changedProps,t)}},this.__instance=t._stampTemplate(this.__template,n),v(e).insertBefore(this.__instance,this)}__syncHostProperties(){let e=this.__syncInfo;e&&(this.__syncInfo=null,e.runEffects(e.changedProps,!1))}__teardownInstance(){let e=this.__dataHost||this;this.__instance&&(e._removeBoundDom(this.__instance),this.__instance=null,this.__syncInfo=null)}_showHideChildren(){let e=this.__hideTemplateChildren__||!this.if;this.__instance&&!!this.__instance.__hidden!==e&&(this.__instance.__hidden=e,Zn(e,this.__instance.templateInfo.childNodes)),e||this.__syncHostProperties()}}:class extends lr{constructor(){super(),this.__ctor=null,this.__instance=null,this.__invalidProps=null}__hasInstance(){return!!this.__instance}__getInstanceNodes(){return this.__instance.children}__createAndInsertInstance(e){this.__ctor||=or(this.__template,this,{mutableData:!0,forwardHostProp:function(e,t){this.__instance&&(this.if?this.__instance.forwardHostProp(e,t):(this.__invalidProps=this.__invalidProps||Object.create(null),this.__invalidProps[y(e)]=!0))}}),this.__instance=new this.__ctor,v(e).insertBefore(this.__instance.root,this)}__teardownInstance(){if(this.__instance){let e=this.__instance.children;if(e&&e.length){let t=v(e[0]).parentNode;if(t){t=v(t);for(let n=0,r;n<e.length&&(r=e[n]);n++)t.removeChild(r)}}this.__invalidProps=null,this.__instance=null}}__syncHostProperties(){let e=this.__invalidProps;if(e){this.__invalidProps=null;for(let t in e)this.__instance._setPendingProperty(t,this.__dataHost[t]);this.__instance._flushProperties()}}_showHideChildren(){let e=this.__hideTemplateChildren__||!this.if;this.__instance&&!!this.__instance.__hidden!==e&&(this.__instance.__hidden=e,this.__instance._showHideChildren(e)),e||this.__syncHostProperties()}};customElements.define(ur.is,ur);var dr={parameters:null,bandwidth:null},fr=[`parameters`,`bandwidth`],pr={parameters:null,bandwidth:null},mr=`tfperf.typed.`,hr=()=>window.localStorage;function gr(e,t=hr){try{let n=JSON.parse(t().getItem(mr+e)??`{}`)??{};return{parameters:vr(n.parameters),bandwidth:vr(n.bandwidth)}}catch{return dr}}function _r(e,{parameters:t,bandwidth:n},r=hr){try{t===null&&n===null?r().removeItem(mr+e):r().setItem(mr+e,JSON.stringify({parameters:t,bandwidth:n}))}catch{}}function vr(e){return typeof e==`string`&&e!==``?e:null}var yr=`diagnostics`,br={run:null,finding:null,without:null,...dr},xr=`p.${yr}.`;function Sr(e){try{return decodeURIComponent(e)}catch{return e}}function Cr(e){let t=new Map;for(let n of e.replace(/^#/,``).split(`&`)){let e=n.indexOf(`=`);n.startsWith(xr)&&e>0&&t.set(n.slice(xr.length,e),Sr(n.slice(e+1)))}return{run:t.get(`run`)||null,finding:t.get(`finding`)||null,without:t.get(`without`)||null,parameters:t.get(`parameters`)||null,bandwidth:t.get(`bandwidth`)||null}}function wr(e){let t=e.replace(/^#/,``).split(`&`)[0]??``;return t===``||t===`diagnostics`||t.includes(`=`)}function Tr(e,t){let n=e.replace(/^#/,``).split(`&`).filter(e=>e!==``&&e!==`diagnostics`&&!e.startsWith(xr)),r=Object.entries(t).filter(([,e])=>e!==null).map(([e,t])=>`${xr}${e}=${encodeURIComponent(String(t))}`);return`#${[yr,...n,...r].join(`&`)}`}var Er=`
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
`,k=E`
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
`,Dr=Wn(D),Or=class extends Dr{static get is(){return`dom-repeat`}static get template(){return null}static get properties(){return{items:{type:Array},as:{type:String,value:`item`},indexAs:{type:String,value:`index`},itemsIndexAs:{type:String,value:`itemsIndex`},sort:{type:Function,observer:`__sortChanged`},filter:{type:Function,observer:`__filterChanged`},observe:{type:String,observer:`__observeChanged`},delay:Number,renderedItemCount:{type:Number,notify:!Te,readOnly:!0},initialCount:{type:Number},targetFramerate:{type:Number,value:20},_targetFrameTime:{type:Number,computed:`__computeFrameTime(targetFramerate)`},notifyDomChange:{type:Boolean},reuseChunkedInstances:{type:Boolean}}}static get observers(){return[`__itemsChanged(items.*)`]}constructor(){super(),this.__instances=[],this.__renderDebouncer=null,this.__itemsIdxToInstIdx={},this.__chunkCount=null,this.__renderStartTime=null,this.__itemsArrayChanged=!1,this.__shouldMeasureChunk=!1,this.__shouldContinueChunking=!1,this.__chunkingId=0,this.__sortFn=null,this.__filterFn=null,this.__observePaths=null,this.__ctor=null,this.__isDetached=!0,this.template=null,this._templateInfo}disconnectedCallback(){super.disconnectedCallback(),this.__isDetached=!0;for(let e=0;e<this.__instances.length;e++)this.__detachInstance(e);this.__chunkingId&&cancelAnimationFrame(this.__chunkingId)}connectedCallback(){if(super.connectedCallback(),Vn()||(this.style.display=`none`),this.__isDetached){this.__isDetached=!1;let e=v(v(this).parentNode);for(let t=0;t<this.__instances.length;t++)this.__attachInstance(t,e);this.__chunkingId&&this.__render()}}__ensureTemplatized(){if(!this.__ctor){let e=this,t=this.template=e._templateInfo?e:this.querySelector(`template`);if(!t){let e=new MutationObserver(()=>{if(this.querySelector(`template`))e.disconnect(),this.__render();else throw Error(`dom-repeat requires a <template> child`)});return e.observe(this,{childList:!0}),!1}let n={};n[this.as]=!0,n[this.indexAs]=!0,n[this.itemsIndexAs]=!0,this.__ctor=or(t,this,{mutableData:this.mutableData,parentModel:!0,instanceProps:n,forwardHostProp:function(e,t){let n=this.__instances;for(let r=0,i;r<n.length&&(i=n[r]);r++)i.forwardHostProp(e,t)},notifyInstanceProp:function(e,t,n){if(Ye(this.as,t)){let r=e[this.itemsIndexAs];t==this.as&&(this.items[r]=n);let i=Je(this.as,`${JSCompiler_renameProperty(`items`,this)}.${r}`,t);this.notifyPath(i,n)}}})}return!0}__getMethodHost(){return this.__dataHost._methodHost||this.__dataHost}__functionFromPropertyValue(e){if(typeof e==`string`){let t=e,n=this.__getMethodHost();return function(){return n[t].apply(n,arguments)}}return e}__sortChanged(e){this.__sortFn=this.__functionFromPropertyValue(e),this.items&&this.__debounceRender(this.__render)}__filterChanged(e){this.__filterFn=this.__functionFromPropertyValue(e),this.items&&this.__debounceRender(this.__render)}__computeFrameTime(e){return Math.ceil(1e3/e)}__observeChanged(){this.__observePaths=this.observe&&this.observe.replace(`.*`,`.`).split(` `)}__handleObservedPaths(e){if(this.__sortFn||this.__filterFn){if(!e)this.__debounceRender(this.__render,this.delay);else if(this.__observePaths){let t=this.__observePaths;for(let n=0;n<t.length;n++)e.indexOf(t[n])===0&&this.__debounceRender(this.__render,this.delay)}}}__itemsChanged(e){this.items&&!Array.isArray(this.items)&&console.warn("dom-repeat expected array for `items`, found",this.items),this.__handleItemPath(e.path,e.value)||(e.path===`items`&&(this.__itemsArrayChanged=!0),this.__debounceRender(this.__render))}__debounceRender(e,t=0){this.__renderDebouncer=Fn.debounce(this.__renderDebouncer,t>0?ut.after(t):dt,e.bind(this)),Ln(this.__renderDebouncer)}render(){this.__debounceRender(this.__render),zn()}__render(){if(!this.__ensureTemplatized())return;let e=this.items||[],t=this.__sortAndFilterItems(e),n=this.__calculateLimit(t.length);this.__updateInstances(e,n,t),this.initialCount&&(this.__shouldMeasureChunk||this.__shouldContinueChunking)&&(cancelAnimationFrame(this.__chunkingId),this.__chunkingId=requestAnimationFrame(()=>{this.__chunkingId=null,this.__continueChunking()})),this._setRenderedItemCount(this.__instances.length),(!Te||this.notifyDomChange)&&this.dispatchEvent(new CustomEvent(`dom-change`,{bubbles:!0,composed:!0}))}__sortAndFilterItems(e){let t=Array(e.length);for(let n=0;n<e.length;n++)t[n]=n;return this.__filterFn&&(t=t.filter((t,n,r)=>this.__filterFn(e[t],n,r))),this.__sortFn&&t.sort((t,n)=>this.__sortFn(e[t],e[n])),t}__calculateLimit(e){let t=e,n=this.__instances.length;if(this.initialCount){let r;!this.__chunkCount||this.__itemsArrayChanged&&!this.reuseChunkedInstances?(t=Math.min(e,this.initialCount),r=Math.max(t-n,0),this.__chunkCount=r||1):(r=Math.min(Math.max(e-n,0),this.__chunkCount),t=Math.min(n+r,e)),this.__shouldMeasureChunk=r===this.__chunkCount,this.__shouldContinueChunking=t<e,this.__renderStartTime=performance.now()}return this.__itemsArrayChanged=!1,t}__continueChunking(){if(this.__shouldMeasureChunk){let e=performance.now()-this.__renderStartTime,t=this._targetFrameTime/e;this.__chunkCount=Math.round(this.__chunkCount*t)||1}this.__shouldContinueChunking&&this.__debounceRender(this.__render)}__updateInstances(e,t,n){let r=this.__itemsIdxToInstIdx={},i=0;for(;i<t;i++){let t=this.__instances[i],a=n[i],o=e[a];r[a]=i,t?(t._setPendingProperty(this.as,o),t._setPendingProperty(this.indexAs,i),t._setPendingProperty(this.itemsIndexAs,a),t._flushProperties()):this.__insertInstance(o,i,a)}for(let e=this.__instances.length-1;e>=i;e--)this.__detachAndRemoveInstance(e)}__detachInstance(e){let t=this.__instances[e],n=v(t.root);for(let e=0;e<t.children.length;e++){let r=t.children[e];n.appendChild(r)}return t}__attachInstance(e,t){let n=this.__instances[e];t.insertBefore(n.root,this)}__detachAndRemoveInstance(e){this.__detachInstance(e),this.__instances.splice(e,1)}__stampInstance(e,t,n){let r={};return r[this.as]=e,r[this.indexAs]=t,r[this.itemsIndexAs]=n,new this.__ctor(r)}__insertInstance(e,t,n){let r=this.__stampInstance(e,t,n),i=this.__instances[t+1],a=i?i.children[0]:this;return v(v(this).parentNode).insertBefore(r.root,a),this.__instances[t]=r,r}_showHideChildren(e){for(let t=0;t<this.__instances.length;t++)this.__instances[t]._showHideChildren(e)}__handleItemPath(e,t){let n=e.slice(6),r=n.indexOf(`.`),i=r<0?n:n.substring(0,r);if(i==parseInt(i,10)){let e=r<0?``:n.substring(r+1);this.__handleObservedPaths(e);let a=this.__itemsIdxToInstIdx[i],o=this.__instances[a];if(o){let n=this.as+(e?`.`+e:``);o._setPendingPropertyOrPath(n,t,!1,!0),o._flushProperties()}return!0}}itemForElement(e){let t=this.modelForElement(e);return t&&t[this.as]}indexForElement(e){let t=this.modelForElement(e);return t&&t[this.indexAs]}modelForElement(e){return cr(this.template,e)}};customElements.define(Or.is,Or);var kr=new Map([[`idle.stagger`,`idle while other GPUs already run`,`stagger`,`falling`],[`compute`,`compute`,`compute`,`solid`],[`communication.transfer`,`AllReduce transfer`,`transfer`,`solid`],[`communication.wait`,`waiting inside AllReduce`,`wait`,`rising`],[`copy.h2d`,`copies to the GPU`,`copy`,`solid`],[`copy.d2h`,`copies to the host`,`copy`,`falling`],[`copy.d2d`,`copies between or inside GPUs`,`copy`,`dots`],[`idle.input`,`idle, waiting for input`,`input`,`rising`],[`idle.launch`,`idle, waiting for kernel launches`,`launch`,`dots`],[`idle.compile`,`idle, waiting for tracing or compilation`,`compile`,`cross`],[`idle.host_op`,`idle, an op runs on the CPU`,`host-op`,`bars`],[`idle.sync`,`idle, the host waits for the GPU`,`sync`,`falling`],[`idle.between_steps`,`idle between steps`,`between`,`cross`],[`idle.unknown`,`idle, cause not recorded`,`unknown`,`dots`]].map(([e,t,n,r])=>[e,{words:t,colour:`--account-${n}`,pattern:r}])),Ar=[...kr.keys()];function A(e){return kr.get(e)??{words:jr(e),colour:`--account-unknown`,pattern:`solid`}}function jr(e){return e.slice(e.indexOf(`.`)+1).replaceAll(`_`,` `)}function j(e){let t=e=>(Ar.indexOf(e)+Ar.length+1)%(Ar.length+1);return e.filter(e=>e.ns>0).sort((e,n)=>t(e.id)-t(n.id))}var M=`\xA0`,Mr=[[`s`,1e9,1e9],[`ms`,1e6,1e5],[`µs`,1e3,1e3]],Nr=[[`T`,0xe8d4a51000],[`G`,1e9],[`M`,1e6],[`k`,1e3]];function N(e){let t=Math.abs(e);return t===0?`0`:t>=999.5?Math.round(e).toLocaleString(`en-US`):t>=99.95?e.toFixed(0):t>=.95?e.toFixed(1):Number(e.toPrecision(2)).toString()}function Pr(e){let t=Number(e.toPrecision(2));return Math.abs(t)>=1&&Math.abs(t)<10?t.toFixed(1):String(t)}function Fr(e,t){if(e===0)return`0${M}ms`;for(let[n,r,i]of Mr)if(Math.abs(e)>=i*.9995)return`${t(e/r)}${M}${n}`;return`${Math.round(e)}${M}ns`}function P(e){return Fr(e,N)}function F(e){return`${e.toLocaleString(`en-US`,{minimumFractionDigits:1,maximumFractionDigits:1})}${M}ms`}function Ir(e,t){return`${F(e).slice(0,-3)}–${F(t)}`}function I(e){return e>0&&e<.005?`<1${M}%`:e<1-1e-9&&e>=.995?`>99${M}%`:`${Math.round(e*100)}${M}%`}function L(e){for(let[t,n]of Nr)if(Math.abs(e)>=n*.9995)return`${N(e/n)}${M}${t===`k`?`kB`:`${t}B`}`;return`${Math.round(e)}${M}B`}function R(e){return Number.isInteger(e)?e.toLocaleString(`en-US`):N(e)}function Lr(e){for(let[t,n]of Nr)if(e>=n*.9995)return`${N(e/n)}${M}${t===`G`?`billion`:t}`;return R(e)}function z(e,t){if(typeof e==`string`)return e;switch(t){case`ns`:return P(e);case`ratio`:return I(e);case`count`:return R(e);case`bytes`:return L(e);case`GB/s`:return`${N(e)}${M}GB/s`;case`per_step`:return`${R(e)} per step`;case`times`:return`${N(e)}${M}×`;case`text`:return String(e)}}function Rr(e){return e.threshold===null?``:`threshold ${z(e.threshold,e.unit)}`}function zr(e){let t=Fr(e.ns,Pr);return e.bound?`up to ${t}`:`about ${t}`}function B(e,t,n=`${t}s`){return`${R(e)} ${e===1?t:n}`}function V(e){return/^GPU:\d+$/.test(e)?e.replace(`:`,` `):e}function Br(e){return e.split(/(\d[\d.,]*[\s\u00a0\u202f]?(?:ns|µs|ms|s|%|GB\/s|GB)(?![\w]))/).map((e,t)=>({text:e,strong:t%2==1})).filter(e=>e.text!==``)}function Vr(e){let t=new Map;for(let n of e)t.set(n||`GPU`,(t.get(n||`GPU`)??0)+1);return[...t].map(([e,t])=>`${t}${M}×${M}${e}`).join(`, `)}var H={"guide estimate":`What TensorFlow’s guide expects: parameters × 4 bytes / bandwidth.`,"ring bound":`The least time in which a ring of n GPUs can reduce so many bytes: each GPU sends 2(n−1)/n of them at the bandwidth given here.`,achievable:`What AllReduce reaches on this link in published measurements; the source stands in the tables.`,"measured transfer":`From the arrival of the last GPU at AllReduce to its end: what the data takes. Per step.`,waiting:`From the arrival of a GPU at AllReduce to that of the last one. Per step, averaged over GPUs.`,exposed:`Transfer and waiting while the GPU computes nothing: only this lengthens the step.`,hidden:`Transfer and waiting while the GPU computes, too: this costs nothing.`,"bus bandwidth":`Bytes × 2(n−1)/n / transfer time, as nccl-tests define it: what each GPU sends over its link, whatever their number.`};function U(e,t,n=``){return{term:e,value:t,meaning:H[e],note:n}}function W(e){return e===null?`not known`:P(e)}function Hr(e){let t=[U(`guide estimate`,W(e.guide_ns)),U(`ring bound`,W(e.ring_bound_ns))];if(e.transfer_ns!==null&&t.push(U(`measured transfer`,P(e.transfer_ns))),e.wait_ns!==null){let n=e.wait_ns>0?Ur(e):``;t.push(U(`waiting`,P(e.wait_ns),n&&`, mostly for ${n}`))}return t}function Ur({devices:e,hosts_count:t}){let n=e.reduce((e,{caused_wait_ns:t})=>e+t,0),r=e.find(({caused_wait_ns:e})=>e>n/2);return r?ti(r,t>1):``}function Wr(e){return[[`exposed`,e.exposed_ns,P],[`hidden`,e.hidden_ns,P],[`bus bandwidth`,e.busbw_gbps,e=>z(e,`GB/s`)],[`achievable`,e.achievable_ns,P]].flatMap(([e,t,n])=>t===null?[]:[U(e,n(t))])}function Gr(e){let t=(e,t,n)=>({term:e,value:t,meaning:n,note:``});return[t(`Parameters`,e.parameters===null?`not known`:R(e.parameters),Jr(e)),t(`Bandwidth of one GPU`,e.bandwidth_gbps===null?`not known`:z(e.bandwidth_gbps,`GB/s`),e.bandwidth_source),t(`Bytes per step`,e.bytes_per_step===null?`not known`:L(e.bytes_per_step),e.bytes_source),t(`Guide estimate`,W(e.guide_ns),H[`guide estimate`]),t(`Ring bound`,W(e.ring_bound_ns),H[`ring bound`]),t(`Achievable`,W(e.achievable_ns),e.achievable_source||H.achievable),...e.measured_ns===null?[]:[t(`Measured transfer`,W(e.transfer_ns),H[`measured transfer`]),t(`Measured waiting`,W(e.wait_ns),H.waiting),t(`Measured, both`,W(e.measured_ns),`Transfer and waiting together. Per step.`),t(`Exposed`,W(e.exposed_ns),H.exposed),t(`Hidden`,W(e.hidden_ns),H.hidden),t(`Bus bandwidth`,e.busbw_gbps===null?`not known`:z(e.busbw_gbps,`GB/s`),H[`bus bandwidth`])]]}function Kr(e){return e.difference||e.measured_ns!==null?e.difference:e.guide_ns===null?`No collective was recorded in this profile. With the number of parameters and the bandwidth, estimates say what AllReduce should take.`:`No collective was recorded in this profile; the estimates say what AllReduce should take.`}var qr={given:`as typed`,recorded:`recorded by the training`,estimated:`estimated from the profile`,unknown:`not known: type it to get the estimates`};function Jr({parameters_source:e,parameters_basis:t}){return t===``?qr[e]:e===`estimated`?`${qr[e]}: ${t}`:t}function Yr(e){let t=e.parameters===null?``:`${R(e.parameters)}, `,n=e.parameters_source===`given`?`. Empty the field to go back.`:``;return`${t}${Jr(e)}${n}`}function Xr({bandwidth_gbps:e,bandwidth_source:t}){return e===null?`${t||`not known`}: type it to get the estimates`:`${z(e,`GB/s`)}, ${t}`}function Zr(e){return[[`guide estimate`,e.guide_ns,`6 4`],[`ring bound`,e.ring_bound_ns,`none`],[`achievable`,e.achievable_ns,`2 3`]].flatMap(([e,t,n])=>t===null?[]:[{words:e,ns:t,dashes:n}])}function Qr(e){let t=e.steps.map(({transfer_ns:e,wait_ns:t})=>e+t),n=[Math.min(...t),Math.max(...t)].map(P),r=Zr(e).map(({words:e,ns:t})=>`${e} ${P(t)}`);return[`AllReduce of ${R(e.steps.length)} steps: transfer and waiting together take ${n.join(` to `)}`,...r].join(`; `)}function $r({step:e,transfer_ns:t,wait_ns:n,exposed_ns:r}){return`Step ${e}: transfer ${P(t)}, waiting ${P(n)}, exposed ${P(r)}`}function ei(e,t){let n=e[t-1]?.up_to_bytes??null,r=e[t]?.up_to_bytes??null;return r===null?n===null?`largest`:`more than ${L(n)}`:`up to ${L(r)}`}function ti({host:e,device:t},n){return n?`${e} ${V(t)}`:V(t)}var ni={all_reduce:`AllReduce`,reduce_scatter:`ReduceScatter`,all_gather:`AllGather`,send_recv:`SendRecv`,broadcast:`Broadcast`,reduce:`Reduce`};function ri(e){return ni[e]??e}function ii({last:e}){if(!e)return`not known`;let t=e.lastIndexOf(` `)+1;return`${e.slice(0,t)}${V(e.slice(t))}`}function ai(e){let t=e.size_bytes===null?``:` of ${L(e.size_bytes)}`;return{host:e.host,begin_ms:e.begin_ms,end_ms:e.end_ms,label:`${ri(e.kind)}${t}, ${P(e.transfer_ns)} of transfer`,device:null,stream:null,step:e.step}}function oi(e){let t=e/5,n=10**Math.floor(Math.log10(t)),r=([1,2,5,10].find(e=>e*n>=t)??10)*n;return Array.from({length:Math.floor(e/r)+1},(e,t)=>t*r)}function si(e,t,n){let r=e.map((e,t)=>t).sort((t,n)=>(e[t]??0)-(e[n]??0)),i=[...e],a=-1/0;for(let e of r)i[e]=Math.max(i[e]??0,a),a=(i[e]??0)+t;let o=n;for(let e of r.reverse())i[e]=Math.min(i[e]??0,o),o=(i[e]??0)-t;return i}var ci=`http://www.w3.org/2000/svg`;function G(e,t={},...n){let r=document.createElementNS(ci,e);for(let[e,n]of Object.entries(t))r.setAttribute(e,String(n));return r.append(...n),r}var li={rising:`M-2 2L2 -2M0 8L8 0M6 10L10 6`,falling:`M-2 6L2 10M0 0L8 8M6 -2L10 2`,cross:`M0 0L8 8M8 0L0 8`,bars:`M2 0V8M6 0V8`,dots:`M1.5 2H3.5M5.5 6H7.5`},ui=0,di=class{constructor(){this.defs=G(`defs`),this.prefix=`pattern-${++ui}`,this.made=new Set}fill(e,t){let n=G(`g`,{},G(`rect`,{...t,style:`fill: var(${e.colour})`}));return e.pattern!==`solid`&&n.append(G(`rect`,{...t,fill:`url(#${this.tile(e.pattern)})`})),n}tile(e){let t=`${this.prefix}-${e}`;return this.made.has(e)||(this.made.add(e),this.defs.append(G(`pattern`,{id:t,width:8,height:8,patternUnits:`userSpaceOnUse`},G(`path`,{d:li[e],style:`fill: none; stroke: var(--hatch); stroke-width: ${e===`dots`?2:1.2}`})))),t}};function K(e,t){let n=new di,r=G(`svg`,{width:12,height:12,"aria-hidden":`true`,style:`border-radius: 3px; flex: none`},n.defs,n.fill(e,{width:12,height:12})),i=document.createElement(`li`);return i.append(r,t),i}var fi=10,pi=140,mi=15,hi=6,gi=16;function _i(e,t,n){let r=Math.max(1,...e.map(({transfer_ns:e,wait_ns:t})=>e+t),...t.map(({ns:e})=>e)),i=e=>fi+pi*(1-e/r),a=100/Math.max(e.length,hi),o=e=>`${e.toFixed(4)}%`,s=new di,c=i(0),l=e.map((e,t)=>{let n=o((t+.15)*a),r=o(.7*a),l=e.transfer_ns+e.wait_ns,u=i(Math.min(e.exposed_ns,l));return G(`g`,{},G(`rect`,{x:o(t*a),y:fi,width:o(a),height:pi,class:`slot`}),s.fill(A(`communication.transfer`),{x:n,y:i(e.transfer_ns),width:r,height:c-i(e.transfer_ns)}),s.fill(A(`communication.wait`),{x:n,y:i(l),width:r,height:i(e.transfer_ns)-i(l)}),G(`line`,{x1:n,x2:o((t+.85)*a),y1:u,y2:u,class:`exposed`}))}),u=e.length<=gi?e.keys():[0,e.length-1];return{drawing:G(`svg`,{width:`100%`,height:172,role:`img`,"aria-label":n},s.defs,...oi(r).map(e=>G(`g`,{},G(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`grid`}),G(`text`,{x:0,dx:-8,y:i(e)+4,class:`tick end`},e===0?`0`:P(e)))),...l,G(`text`,{x:0,dx:-8,y:c+16,class:`tick end`},`step`),...[...u].map(t=>G(`text`,{x:o((t+.5)*a),y:c+16,class:`tick`},String(e[t]?.step))),...vi(t,i,c)),columns:l}}function vi(e,t,n){let r=si(e.map(({ns:e})=>t(e)),mi,n);return e.flatMap(({words:e,ns:n,dashes:i},a)=>{let[o,s]=[t(n),r[a]??0];return[G(`line`,{x1:0,x2:`100%`,y1:o,y2:o,class:`estimate`,"stroke-dasharray":i}),G(`svg`,{x:`100%`,overflow:`visible`},G(`path`,{d:`M0 ${o}H3L11 ${s}H14`,class:`leader`}),G(`text`,{x:18,y:s+4,class:`estimate-label`},`${e} ${P(n)}`))]})}var yi=e=>e===null?`not recorded`:L(e),bi=e=>e===null?`not known`:z(e,`GB/s`);function q(e,t){return{head:e,cell:t,kind:`number`}}function xi(e){return{lines:[{head:`What`,cell:({term:e})=>e},q(`Value`,({value:e})=>e),{head:`How it is known`,cell:({meaning:e})=>e,kind:`note name`}],steps:[{head:`Step`,cell:({step:e})=>String(e)},q(`Transfer`,({transfer_ns:e})=>P(e)),q(`Waiting`,({wait_ns:e})=>P(e)),q(`Both`,({transfer_ns:e,wait_ns:t})=>P(e+t)),q(`Exposed`,({exposed_ns:e})=>P(e))],sizes:[{head:`Size`,cell:(t,n)=>ei(e.sizes,n)},q(`Calls per step`,({calls_per_step:e})=>R(e)),q(`Bytes per step`,({bytes_per_step:e})=>yi(e)),q(`Transfer per step`,({transfer_ns:e})=>P(e)),q(`Bus bandwidth`,({busbw_gbps:e})=>bi(e)),q(`Achievable`,({achievable_gbps:e})=>bi(e)),{head:`Source of the achievable`,cell:({achievable_source:e})=>e,kind:`note name`}],devices:[{head:`GPU`,cell:t=>ti(t,e.hosts_count>1),kind:`name`},q(`Transfer per step`,({transfer_ns:e})=>P(e)),q(`Waits per step`,({wait_ns:e})=>P(e)),q(`Came last in`,({last_ratio:e})=>`${I(e)} of calls`),q(`Others wait for it`,({caused_wait_ns:e})=>P(e))]}}function Si(e){return[{head:`Call`,cell:({kind:e})=>ri(e)},q(`Step`,({step:e})=>String(e)),q(`Size`,({size_bytes:e})=>yi(e)),q(`GPUs`,({participants:e,hosts_count:t})=>`${R(e)}${t>1?` on ${B(t,`host`)}`:``}`),q(`Transfer`,({transfer_ns:e})=>P(e)),q(`Waiting of all`,({wait_ns:e})=>P(e)),q(`Exposed`,({exposed_ns:e})=>P(e)),{head:`Came last`,cell:ii,kind:`name`},{head:`In the trace at`,kind:`number`,cell:t=>{let n=F(t.begin_ms),r=e(t);if(!r)return n;let i=document.createElement(`button`);return i.className=`bare open`,i.textContent=n,i.setAttribute(`aria-label`,`Show ${ri(t.kind)} of step ${t.step} at ${n} in the trace`),i.addEventListener(`click`,r),i}}]}function J(e,t,n=null){e.dispatchEvent(new CustomEvent(t,{bubbles:!0,composed:!0,detail:n}))}var Ci=class extends D{static get is(){return`tfperf-places`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{run:String,places:Array,access:Object,shown:{type:Boolean,value:!1},place:Object,linked:{type:Boolean,computed:`canLink(access, place)`},refusal:{type:String,computed:`why(access, place)`},viewer:{type:String,computed:`viewerOf(run, place)`},profileHref:{type:String,computed:`profileOf(run, place)`}}}static get observers(){return[`onPlaces(places)`]}onPlaces(e){e[0]&&(this.place=e[0])}onChoose(e){this.place=e.model.item,this.shown&&this.announce(!0)}onShow(){this.announce(!this.shown)}onProfile(e){e.ctrlKey||e.metaKey||e.shiftKey||e.button!==0||J(this,`open-profile-tab`,{target:wi(this.run,this.place),click:e})}canLink(e,t){return t!==void 0&&te(e,t.host)}why(e,t){return t?ne(e,t.host):``}viewerOf(e,t){return t===void 0?``:l(document.baseURI,wi(e,t))}profileOf(e,t){return t===void 0?``:s(document.baseURI,wi(e,t))}describe(e){return e?[e.step===null?``:`step ${e.step}`,e.device===null?``:V(e.device),e.stream??``,e.host,Ir(e.begin_ms,e.end_ms)].filter(Boolean).join(` · `):``}sentence(e){return e?.label?`: ${e.label}`:``}showLabel(e){return e?`Close the trace`:`Show in trace`}single(e){return e?.length===1}isChosen(e,t){return String(e===t)}text(e){return String(e)}announce(e){J(this,`show-trace`,{place:e?this.place:null})}};function wi(e,t){return{run:e,host:t.host,beginMs:t.begin_ms,endMs:t.end_ms}}customElements.define(Ci.is,Ci);var Ti=class extends D{static get is(){return`tfperf-table`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{heading:String,columns:{type:Array,value:()=>[]},items:{type:Array,value:()=>[]},note:{type:String,value:``},open:{type:Boolean,value:!1},order:{type:Object,value:null}}}static get observers(){return[`draw(columns, items, open, order)`]}onToggle(e){this.open=e.target.open}draw(e,t,n,r){this.$.table?.replaceChildren(...n?[Di(e,Ei(t,r),r,t=>{this.order={column:t,usual:this.order?.column!==t||!this.order.usual},this.shadowRoot?.querySelectorAll(`th button`)[e.filter(({value:e})=>e).indexOf(t)]?.focus()})]:[])}};function Ei(e,t){let n=t?.column.value;if(!n)return e;let r=t.usual?1:-1;return[...e].sort((e,t)=>{let[i,a]=[n(e),n(t)];return i===null||a===null||i===``||a===``?Number(i===null||i===``)-Number(a===null||a===``):r*(typeof i==`number`&&typeof a==`number`?a-i:String(i).localeCompare(String(a),`en`,{numeric:!0}))})}function Di(e,t,n,r){let i=(t,n)=>{let r=document.createElement(`tr`);return r.append(...e.map(e=>{let r=document.createElement(t);return r.className=e.kind??``,r.append(n(e,r)),r})),r},a=(e,t)=>{if(!e.value)return e.head;let i=document.createElement(`button`);if(i.className=`bare`,i.textContent=e.head,i.addEventListener(`click`,()=>r(e)),n?.column===e){let r=n.usual===(e.kind===`number`);t.setAttribute(`aria-sort`,r?`descending`:`ascending`),i.dataset.arrow=r?` ▾`:` ▴`}return i},o=document.createElement(`table`);return o.createTHead().append(i(`th`,a)),o.createTBody().append(...t.map((e,t)=>i(`td`,({cell:n})=>n(e,t)))),o}customElements.define(Ti.is,Ti);var Oi=8,ki=class extends D{static get is(){return`tfperf-term`}static get template(){return E`
      ${k}
      <style>
        :host { color: inherit; display: inline-block; font: inherit; position: relative; }
        #word { cursor: help; text-decoration: underline dotted var(--control-line); text-underline-offset: 3px; }
        #meaning { left: 0; top: 100%; transform: none; }
      </style>
      <button id="word" class="bare" aria-describedby="meaning" on-focus="onShow" on-blur="onHide" on-click="onShow" on-keydown="onKey">[[word]]</button><span id="meaning" class="tip" role="tooltip" hidden$="[[!shown]]">[[meaning]]</span>
    `}static get properties(){return{word:String,meaning:String,shown:{type:Boolean,value:!1}}}ready(){super.ready(),this.addEventListener(`pointerenter`,()=>this.onShow()),this.addEventListener(`pointerleave`,()=>this.onHide())}onShow(){this.shown=!0;let e=this.$.meaning;e.style.left=`0`;let t=e.getBoundingClientRect().right+Oi-document.documentElement.clientWidth;t>0&&(e.style.left=`${-t}px`)}onHide(){this.shown=!1}onKey(e){e.key===`Escape`&&this.onHide()}};customElements.define(ki.is,ki);var Y=class{constructor(e){this.chart=e,this.tip=document.createElement(`div`),this.part=null,this.tip.className=`tip`,this.tip.setAttribute(`role`,`status`),this.tip.hidden=!0,e.append(this.tip)}explain(e,t,n){let r=0,i=e=>{r=(e+t.length)%t.length;let i=t[r];i&&this.show(i,n[r]??``)},a=()=>this.hide();e.setAttribute(`tabindex`,`0`),t.forEach((e,t)=>e.addEventListener(`pointerenter`,()=>i(t))),e.addEventListener(`pointerleave`,a),e.addEventListener(`focus`,()=>i(r)),e.addEventListener(`blur`,a),e.addEventListener(`keydown`,e=>{if(e.key===`Escape`)return a();let t={ArrowLeft:-1,ArrowRight:1}[e.key];t!==void 0&&(e.preventDefault(),i(r+t))})}show(e,t){this.hide(),this.part=e,e.classList.add(`on`),this.tip.textContent=t,this.tip.hidden=!1;let n=this.chart.getBoundingClientRect(),r=e.getBoundingClientRect(),i=this.tip.offsetWidth/2,a=r.left+r.width/2-n.left;this.tip.style.left=`${Math.max(Math.min(a,n.width-i),i)}px`,this.tip.style.top=`${r.bottom-n.top}px`}hide(){this.tip.hidden=!0,this.part?.classList.remove(`on`)}},Ai=!1,ji=[],Mi=[];function Ni(){Ai=!0,requestAnimationFrame(function(){Ai=!1,Pi(ji),setTimeout(function(){Fi(Mi)})})}function Pi(e){for(;e.length;)Ii(e.shift())}function Fi(e){for(let t=0,n=e.length;t<n;t++)Ii(e.shift())}function Ii(e){let t=e[0],n=e[1],r=e[2];try{n.apply(t,r)}catch(e){setTimeout(()=>{throw e})}}function Li(e,t,n){Ai||Ni(),Mi.push([e,t,n])}var Ri=class extends D{static get is(){return`tfperf-trace`}static get template(){return E`
      ${k}
      <style>
        :host { display: block; margin-top: 16px; }
        iframe { background: #fff; border: 1px solid var(--line); border-radius: 6px; display: block; height: clamp(480px, 82vh, 900px); margin-top: 6px; width: 100%; }
      </style>
      <span class="note name">[[whereabouts(place)]]</span>
      <div id="viewer"></div>
    `}static get properties(){return{run:String,place:{type:Object,value:null}}}static get observers(){return[`onPlace(run, place)`]}onPlace(e,t){this.$.viewer?.replaceChildren(...t?[this.frame(e,t)]:[])}whereabouts(e){return e?`Trace viewer: ${e.host}, ${Ir(e.begin_ms,e.end_ms)}`:``}frame(e,t){let n=document.createElement(`iframe`);return n.title=this.whereabouts(t),n.src=l(document.baseURI,{run:e,host:t.host,beginMs:t.begin_ms,endMs:t.end_ms}),Li(this,()=>n.scrollIntoView({block:`nearest`})),n}};customElements.define(Ri.is,Ri);var zi=class extends D{static get is(){return`tfperf-allreduce`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{allreduce:{type:Object,observer:`onReport`},run:String,access:{type:Object,value:null},typed:{type:Object,value:()=>dr},refused:{type:Object,value:()=>pr},recomputing:{type:Boolean,value:!1},sentence:{type:Array,computed:`sentenceOf(allreduce)`},further:{type:Array,computed:`furtherOf(allreduce)`},lines:{type:Array,computed:`linesOf(allreduce)`},tables:{type:Object,computed:`tablesOf(allreduce)`},calls:{type:Array,computed:`callsOf(access)`},difference:{type:String,computed:`differenceOf(allreduce)`},chosen:{type:Array,value:()=>[]},traced:{type:Object,value:null}}}static get observers(){return[`onFields(typed, refused, run)`]}ready(){super.ready(),this.addEventListener(`show-trace`,e=>{this.traced=e.detail.place})}onReport(e){if(this.chosen=[],this.traced=null,!e||e.steps.length===0)return;let t=this.$.chart,{drawing:n,columns:r}=_i(e.steps,Zr(e),Qr(e));t.replaceChildren(n),this.tip=new Y(t),this.tip.explain(n,r,e.steps.map($r));let i=document.createElement(`li`);i.append(document.createElement(`i`),`exposed: not hidden by compute`),this.$.legend?.replaceChildren(K(A(`communication.transfer`),`transfer`),K(A(`communication.wait`),`waiting`),i)}onFields(e,t){this.settled??={parameters:``,bandwidth:``};for(let n of fr){let r=this.$[n];r.value===this.settled[n]&&(r.value=this.settled[n]=t[n]?.text??e[n]??``)}}onTyped(e){let t=e.target,n=t.id,r=t.value.trim();this.settled&&(this.settled[n]=t.value),J(this,`assume`,{field:n,text:r===``?null:r})}isShown(e){return e!==null}isRefused(e,t){return String(t[e]!==null)}busy(e){return e?`Recomputing …`:``}subtitle(e){if(!e)return``;let t=e.hosts_count>1?` on ${B(e.hosts_count,`host`)}`:``,n=e.measured_ns===null?``:`, ${B(e.calls_per_step,`call`)} per step`;return`${B(e.participants,`GPU`)}${t}${n}`}parametersHint(e){return e?.parameters?Lr(e.parameters):`e.g. 25.6M`}bandwidthHint(e){return e?.bandwidth_gbps?z(e.bandwidth_gbps,`GB/s`):`e.g. 600 GB/s or NVLink 3`}parametersNote(e){return e?Yr(e):``}bandwidthNote(e){return e?Xr(e):``}sentenceOf(e){return e?Hr(e):[]}furtherOf(e){return e?Wr(e):[]}linesOf(e){return e?Gr(e):[]}differenceOf(e){return e?Kr(e):``}tablesOf(e){return e?xi(e):null}callsOf(e){return Si(t=>te(e,t.host)?()=>this.showCall(t):null)}capped(e){let t=e?.calls.length??0;return e&&e.calls_total>t?`The ${R(t)} longest of ${R(e.calls_total)} calls.`:``}showCall(e){let t=ai(e);this.chosen=[t],this.traced=t}};customElements.define(zi.is,zi);var Bi=class extends D{static get is(){return`tfperf-bar`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{runs:{type:Array,value:()=>[]},run:{type:String,value:null},report:{type:Object,value:null},about:{type:String,computed:`aboutOf(report)`}}}names(e,t){let n=e.map(({name:e})=>e);return t===null||n.includes(t)?n:[t,...n]}isRun(e,t){return e===t}aboutOf(e){if(!e)return``;let{steps:t,devices:n,hosts:r,timing:i}=e,a=i.reduce((e,{ns:t})=>e+t,0);return[B(t.count,`step`),n.length>0?Vr(n.map(({name:e})=>e)):`no GPU`,r.length===1?`host ${r[0]}`:B(r.length,`host`),a>0?`analysed in ${P(a)}`:``].filter(Boolean).join(` · `)}onChange(e){J(this,`run-change`,{run:e.target.value})}};customElements.define(Bi.is,Bi);var Vi={not_found:`This run is not there`,bad_request:`This cannot be asked`,unreadable:`This profile cannot be read`,not_judgeable:`This profile cannot be judged`,internal:`The analysis failed`,unreachable:`No answer`},Hi={not_found:`Choose another run above, or look again if it has just been written.`,bad_request:`Try again without what was typed in or held by the address.`,unreadable:`If it is still being written, try again when that is done. Other runs stay usable.`,not_judgeable:`Record it again with GPU and host tracing on, or choose another run above.`,internal:`Other runs stay usable. The log of TensorBoard holds the details; please report them.`,unreachable:`Start TensorBoard again, then try once more.`},Ui=class extends D{static get is(){return`tfperf-failure`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{error:Object}}heading(e){return Vi[e.kind]}advice(e){return Hi[e.kind]}onRetry(){J(this,`retry`)}};customElements.define(Ui.is,Ui);var Wi=class extends D{static get is(){return`tfperf-checks`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{report:{type:Object,observer:`onReport`},groups:Array,open:{type:Object,value:null}}}onReport(e){let t=e.anomalies.map(e=>({id:e.name,title:`${e.name} (${R(e.count)})`,reason:e.sentence,how:e.severity===`data_loss`?`Part of the recorded data could not be used.`:``})),n=[[`errors`,`failed while checking`,e.errors,!0],[`passed`,`passed`,e.passed,!0],[`missing_data`,`could not be checked, and how to`,e.missing_data,!0],[`not_applicable`,`do not apply`,e.not_applicable,!0],[`manual`,`to check by hand`,e.manual,!1],[`anomalies`,`oddities in the file`,t,!1]];this.groups=n.filter(([,,e])=>e.length>0).map(([e,t,n,r])=>({id:e,words:t,rows:n,rules:r,count:R(n.length)})),this.open=this.groups.find(({id:e})=>e===this.open?.id)??null}onOpen(e){this.open=this.open===e.model.item?null:e.model.item}page(e,t){return t?.rules?f(document.baseURI,e.id):void 0}isOpen(e,t){return String(e===t)}};customElements.define(Wi.is,Wi);var Gi=class extends D{static get is(){return`tfperf-evidence`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{items:Array}}value(e){return z(e.value,e.unit)}valueClass(e){return this.value(e).length>24?`words`:`number`}against(e){return Rr(e)}};customElements.define(Gi.is,Gi);var Ki=class extends D{static get is(){return`tfperf-code`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{code:{type:String,observer:`onCode`},framework:String,done:{type:String,value:`Copy`},said:{type:String,value:``}}}onCode(){this.done=`Copy`,this.said=``}async onCopy(){try{await navigator.clipboard.writeText(this.code),this.done=`Copied`}catch{let e=this.shadowRoot?.querySelector(`#code`);e&&window.getSelection()?.selectAllChildren(e),this.done=`Selected: press Ctrl+C`}this.said=this.done}};customElements.define(Ki.is,Ki);var qi=class extends D{static get is(){return`tfperf-fix`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{fix:{type:Object,observer:`onFix`},guide:Object,rule:String,snippet:{type:Object,value:null}}}onFix(e){this.snippet=e?.snippets[0]??null}onChoose(e){this.snippet=e.model.item}alone(e){return(e?.snippets.length??0)<2}isChosen(e,t){return String(e===t)}read(e,t,n){if(!e||!t||!n)return[];let r=e.links.map(({title:e,url:t})=>({title:e,href:ee(t)}));return t.section&&r.unshift({title:`Guide: ${t.section}`,href:ee(t.url)}),r.unshift({title:`How this is measured`,href:f(document.baseURI,n)}),r}};customElements.define(qi.is,qi);var Ji={critical:`●`,warning:`▲`,info:`i`},Yi=class extends D{static get is(){return`tfperf-severity`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{severity:String}}icon(e){return Ji[e]}};customElements.define(Yi.is,Yi);var Xi=14,Zi=20;function Qi(e){let t=new Map;for(let n of e)t.set(n.step,[...t.get(n.step)??[],n]);return[...t].map(([e,t])=>{let n=t.map(e=>e.first_kernel_ns);return{step:e,rows:t,apart_ns:Math.max(...n)-Math.min(...n)}}).sort((e,t)=>t.apart_ns-e.apart_ns)}function $i(e){return[`${V(e.device)}: first kernel at ${P(e.first_kernel_ns)}`,`last kernel ends at ${P(e.last_kernel_ns)}`,e.first_launch_ns===null?``:`first launch at ${P(e.first_launch_ns)}`,e.idle_ns>0?`idle for ${P(e.idle_ns)} while another GPU runs`:``,e.wait_ns>0?`waits ${P(e.wait_ns)} in AllReduce for GPUs that started later`:``].filter(Boolean).join(`, `)}function ea(e,t){let n=Math.min(0,...e.map(e=>e.first_launch_ns??0)),r=Math.max(...e.map(e=>e.last_kernel_ns),n+1),i=e=>`${(e/(r-n)*100).toFixed(4)}%`,a=new di,o=e.map((e,t)=>{let o=t*28+7,s=(e,t,r)=>a.fill(A(e),{x:i(t-n),y:o,width:i(Math.max(0,r-t)),height:Xi}),c=e.first_kernel_ns,l=e.last_kernel_ns,u=Math.max(0,Math.min(e.idle_ns,c)),d=Math.max(0,Math.min(e.idle_ns-u,r-l)),f=Math.max(0,Math.min(e.wait_ns,l-c)),ee=G(`g`,{},G(`rect`,{x:0,y:t*28,width:`100%`,height:28,class:`slot`}),s(`idle.stagger`,c-u,c),s(`compute`,c,l-f),s(`communication.wait`,l-f,l),s(`idle.stagger`,l,l+d));if(e.first_launch_ns!==null){let t=i(e.first_launch_ns-n);ee.append(G(`line`,{x1:t,x2:t,y1:o-3,y2:o+Xi+3,class:`launch`}))}return ee}),s=e.length*28,c=oi(r).map(e=>G(`text`,{x:i(e-n),y:s+14,class:`tick`},e===0?`0`:P(e)));return{drawing:G(`svg`,{width:`100%`,height:s+Zi,role:`img`,"aria-label":t},a.defs,...o,...c),groups:o}}var ta=e=>e===null?`not recorded`:P(e),na=[{head:`GPU`,cell:({device:e})=>V(e)},{head:`First launch`,cell:e=>ta(e.first_launch_ns),kind:`number`},{head:`First kernel`,cell:e=>ta(e.first_kernel_ns),kind:`number`},{head:`Last kernel ends`,cell:e=>ta(e.last_kernel_ns),kind:`number`},{head:`Idle`,cell:e=>ta(e.idle_ns),kind:`number`},{head:`Waits in AllReduce`,cell:e=>ta(e.wait_ns),kind:`number`},{head:`Launched by thread`,cell:({thread:e})=>e||`not recorded`,kind:`name`}],ra=class extends D{static get is(){return`tfperf-stagger`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{stagger:{type:Object,observer:`onStagger`},access:{type:Object,value:null},steps:{type:Array,value:()=>[]},shown:{type:Object,value:null},words:{type:String,computed:`wordsOf(stagger, shown)`},columns:{type:Array,value:()=>na},linked:{type:Boolean,computed:`canLink(access, stagger)`}}}static get observers(){return[`draw(shown, words, linked)`]}onStagger(e){this.steps=Qi(e?.items??[]),this.shown=this.steps[0]??null}onStep(e){let t=Number(e.target.value);this.shown=this.steps.find(({step:e})=>e===t)??null}onRow(e){this.open(e.model.item)}isShown(e,t){return e===t}alone(e){return e.length<2}optionWords({step:e,apart_ns:t}){return`${e}, ${P(t)} apart`}canLink(e,t){return t!==null&&te(e,t.host)}name(e){return V(e.device)}wordsOf(e,t){if(!e||!t)return``;let n=[...t.rows].sort((e,t)=>e.first_kernel_ns-t.first_kernel_ns),[r,i]=[n[0],n.at(-1)];return!r||!i?``:`Step ${t.step} on ${e.host}: ${V(i.device)} starts ${P(t.apart_ns)} after ${V(r.device)}.`}causes(e){if(!e)return``;let{order:t,devices:n,one_thread:r,private_threads:i}=e;return[{fixed:`The order is the same in all steps: ${n.map(V).join(`, `)}.`,rotating:`The order changes from step to step.`,none:``}[t],{true:`One host thread makes the first launch for all of them.`,false:`Different host threads make their first launches.`,null:``}[`${r}`],i?`Each GPU has launch threads of its own.`:``].filter(Boolean).join(` `)}open({host:e,device:t,step:n,begin_ms:r,end_ms:i}){let a={host:e,device:t,step:n,begin_ms:r,end_ms:i,label:`start of ${V(t)}`,stream:null};J(this,`show-trace`,{place:a})}draw(e,t,n){if(!e)return;let r=e=>this.$[e];this.tip??=new Y(r(`chart`)),this.tip.hide();let{drawing:i,groups:a}=ea(e.rows,t);this.tip.explain(i,a,e.rows.map($i)),n&&e.rows.forEach((e,t)=>a[t]?.addEventListener(`click`,()=>this.open(e))),r(`drawing`).classList.toggle(`linked`,n),r(`drawing`).replaceChildren(i),r(`legend`).replaceChildren(...this.legend(e.rows))}legend(e){let t=document.createElement(`li`);return t.append(`| first launch on the host`),[...e.some(e=>e.first_launch_ns!==null)?[t]:[],...e.some(e=>e.idle_ns>0)?[K(A(`idle.stagger`),`idle, other GPUs run`)]:[],K(A(`compute`),`first to last kernel`),...e.some(e=>e.wait_ns>0)?[K(A(`communication.wait`),`of it waiting inside AllReduce`)]:[]]}};customElements.define(ra.is,ra);var ia=class extends D{static get is(){return`tfperf-finding`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{finding:{type:Object,observer:`onFinding`},index:Number,run:String,access:{type:Object,value:null},stagger:{type:Object,value:null},nested:{type:Boolean,value:!1,reflectToAttribute:!0},expanded:{type:Boolean,value:!1},traced:{type:Object,value:null},staggered:{type:Boolean,computed:`hasStagger(finding, stagger)`}}}ready(){super.ready(),this.addEventListener(`show-trace`,e=>{e.stopPropagation(),this.traced=e.detail.place})}onFinding(){this.traced=null}onToggle(){this.expanded=!this.expanded,this.expanded||(this.traced=null),this.nested||J(this,`finding-toggle`,{id:this.finding.id,expanded:this.expanded})}hasStagger(e,t){return e?.id===`gpu-stagger`&&(t?.items.length??0)>0}layout(e,t){return t||e.where.length>0?``:`plain`}time(e){return e?.saving?zr(e.saving):``}share(e){return e?`${e.saving?` per step · ${I(e.saving.ratio)} · `:``}${e.confidence} confidence`:``}basis(e){return e?.saving?.basis?`How the saving was estimated: ${e.saving.basis}`:``}isShown(e){return e!==null}text(e){return String(e)}};customElements.define(ia.is,ia);function aa(e){if(e.findings.some(({severity:e})=>e!==`info`))return null;if(e.passed.length===0)return{mark:`–`,sentence:`Nothing could be judged.`,note:`The list below says what is missing and how to record it.`};if(e.ledger===null){let t=e.devices.length===0?`GPU time`:`whole steps`;return{mark:`–`,sentence:`The checks that this profile allows found nothing that costs time.`,note:`${B(e.passed.length,`check`)} passed. What a step loses cannot be told without ${t}.`}}let t=e.findings.length>0?` What is listed here is worth less than that.`:``;return{mark:`✓`,sentence:`Nothing to fix above 5 % of a step.`,note:`${B(e.passed.length,`check`)} passed; “passed” below shows each with its number.${t}`}}function oa({findings:[e,t]}){return+(e?.where.length===0&&t!==void 0&&t.where.length>0)}var sa=class extends D{static get is(){return`tfperf-findings`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{report:Object,access:{type:Object,value:null},opened:{type:String,value:null},calm:{type:Object,computed:`calmOf(report)`}}}calmOf(e){return e?aa(e):null}tally(e){let t=e.passed.length+e.findings.length;return t===0?``:`${e.findings.length} of ${B(t,`check`)} found something`}isOpen(e,t){return this.report.findings.some(e=>e.id===this.opened)?e.id===this.opened:t<=oa(this.report)&&aa(this.report)===null}number(e){return e+1}};customElements.define(sa.is,sa);var ca=8,la=96,ua=16;function da(e,t){let n=Math.max(1,...e.map(({own_ns:e,others_ns:t})=>Math.max(e,t??0))),r=e=>ca+la*(1-e/n),i=100/Math.max(e.length,1),a=e=>`${((e+.5)*i).toFixed(4)}%`,o=e.map(({own_ns:e},t)=>G(`g`,{},G(`rect`,{x:`${(t*i).toFixed(4)}%`,y:ca,width:`${i.toFixed(4)}%`,height:la,class:`slot`}),G(`circle`,{cx:a(t),cy:r(e),r:3,class:`own-point`}))),s=(e,t)=>e.flatMap((n,i)=>{let o=e[i+1];return n===null||o==null?[]:[G(`line`,{x1:a(i),x2:a(i+1),y1:r(n),y2:r(o),class:t})]}),c=e.length<=ua?e.keys():[0,e.length-1];return{drawing:G(`svg`,{width:`100%`,height:126,role:`img`,"aria-label":t},...oi(n).map(e=>G(`g`,{},G(`line`,{x1:0,x2:`100%`,y1:r(e),y2:r(e),class:`grid`}),G(`text`,{x:0,dx:-8,y:r(e)+4,class:`tick end`},e===0?`0`:P(e)))),...s(e.map(e=>e.others_ns),`others`),...s(e.map(e=>e.own_ns),`own`),...o,G(`text`,{x:0,dx:-8,y:120,class:`tick end`},`step`),...[...c].map(t=>G(`text`,{x:a(t),y:120,class:`tick`},String(e[t]?.step)))),groups:o}}function fa(e,t,n,r=20){let i=new di,a=e=>`${(e/t*100).toFixed(4)}%`,o=0,s=e.map(({look:e,ns:t})=>{let n=i.fill(e,{x:a(o),width:a(t),height:r});return n.append(G(`rect`,{x:a(o),width:1,height:r,style:`fill: var(--page)`})),o+=t,n});return{drawing:G(`svg`,{width:`100%`,height:r,role:`img`,"aria-label":n},i.defs,...s),segments:s}}function pa(e){return[...e].sort((e,t)=>Number(t.slow)-Number(e.slow))}function ma({own_ns:e,compute_ns:t,wait_ns:n}){let r=Math.min(t,e);return[{look:A(`compute`),ns:r},{look:{words:`other time of its own`,colour:`--account-unknown`,pattern:`dots`},ns:e-r},{look:A(`communication.wait`),ns:n}].filter(({ns:e})=>e>0)}function ha(e){return[`${e.host}${e.slow?` (slow)`:``}: ${P(e.own_ns)} of its own in a step`,`${P(e.compute_ns)} of it compute`,`${P(e.wait_ns)} waiting for others`,e.late_ns===null?``:`arrives ${P(e.late_ns)} after the first host`].filter(Boolean).join(`, `)}var ga=3,_a=4;function va(e){let t=e.filter(e=>e.slow),n=e.map(({own_ns:e})=>e);if(t.length===0){let t=`A host’s own part of a step takes ${P(Math.min(...n))} to ${P(Math.max(...n))}.`;return e.length<ga?`${t} With fewer than three hosts none can be told to be the slow one.`:`${t} No host is slow.`}let r=t.slice(0,_a).map(({host:e})=>e),i=t.length>_a?[`${R(t.length-_a)} more`]:[],a=t.map(({late_ns:e})=>e).filter(e=>e!==null),o=e.filter(e=>!e.slow).map(({own_ns:e})=>e);return[`${ya([...r,...i])} ${t.length===1?`is`:`are`} slow`,a.length>0?`: ${P(Sa(a))} behind the first host at AllReduce. The`:`: the`,` own part of a step takes ${P(Sa(t.map(({own_ns:e})=>e)))}`,o.length>0?`, against ${P(Sa(o))} on the others (median).`:`.`].join(``)}function ya(e){return e.length<2?e.join(``):`${e.slice(0,-1).join(`, `)} and ${e.at(-1)}`}function ba(e,t){let n=new Map;for(let r of t)if(r!==e)for(let{step:e,own_ns:t}of r.steps)n.set(e,[...n.get(e)??[],t]);return e.steps.map(({step:e,own_ns:t})=>{let r=n.get(e);return{step:e,own_ns:t,others_ns:r?Sa(r):null}})}function xa({step:e,own_ns:t,others_ns:n}){return`Step ${e}: ${P(t)}, others ${n===null?`not recorded`:P(n)}`}function Sa(e){let t=[...e].sort((e,t)=>e-t),n=t.length/2;return((t[Math.ceil(n)-1]??0)+(t[Math.floor(n)]??0))/2}function Ca({clock_source:e}){return{collectives:`ends of collectives`,"wall clock":`wall clocks`,"same host":`the same clock`,unknown:`not known: clocks could not be aligned`}[e]}var wa=16,X=e=>e===null?`not known`:P(e),Ta=[{head:`Host`,cell:({host:e,slow:t})=>`${e}${t?` (slow)`:``}`,kind:`name`},{head:`GPUs`,cell:e=>R(e.gpus_count),kind:`number`},{head:`Steps`,cell:e=>R(e.steps_count),kind:`number`},{head:`Step`,cell:e=>X(e.step_ns),kind:`number`},{head:`Own`,cell:e=>X(e.own_ns),kind:`number`},{head:`Compute`,cell:e=>X(e.compute_ns),kind:`number`},{head:`Waits for input`,cell:e=>X(e.input_ns),kind:`number`},{head:`Waits for others`,cell:e=>X(e.wait_ns),kind:`number`},{head:`Arrives late by`,cell:e=>X(e.late_ns),kind:`number`},{head:`Clock off by`,cell:e=>X(e.clock_offset_ns),kind:`number`},{head:`Known to ±`,cell:e=>X(e.clock_uncertainty_ns),kind:`number`},{head:`Aligned by`,cell:Ca}],Ea=[{head:`Step`,cell:({step:e})=>String(e)},{head:`Own`,cell:({own_ns:e})=>X(e),kind:`number`},{head:`Median of the others`,cell:({others_ns:e})=>X(e),kind:`number`}],Da=class extends D{static get is(){return`tfperf-hosts`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{hosts:{type:Array,observer:`onHosts`},chosen:{type:Object,value:null},points:{type:Array,value:()=>[]},onlySlow:{type:Boolean,value:!1},columns:{type:Array,value:()=>Ta},pointColumns:{type:Array,value:()=>Ea}}}onHosts(e){this.onlySlow=!1,this.child(`legend`).replaceChildren(...[...new Map(e.flatMap(ma).map(({look:e})=>[e.words,e])).values()].map(e=>K(e,e.colour===A(`communication.wait`).colour?`waiting for other hosts and GPUs`:e.words))),this.drawRows();let[t]=[...e].sort((e,t)=>t.own_ns-e.own_ns);this.choose(pa(e).find(({slow:e})=>e)??t??null)}onOnly(){this.onlySlow=!this.onlySlow,this.drawRows()}subtitle(e){let t=Math.max(0,...e.map(({steps_count:e})=>e));return`${B(e.length,`host`)}, average of the ${B(t,`step`)} that all of them recorded whole`}sentence(e){return e.length>0?va(e):``}filterable(e){return e.length>wa&&e.some(({slow:e})=>e)}onlyLabel(e){return`Only slow hosts (${R(e.filter(({slow:e})=>e).length)})`}text(e){return String(e)}child(e){return this.$[e]}drawRows(){this.tip??=new Y(this.child(`chart`)),this.tip.hide();let e=pa(this.hosts).filter(({slow:e})=>e||!this.onlySlow),t=Math.max(1,...this.hosts.map(({own_ns:e,wait_ns:t})=>e+t));this.child(`rows`).classList.toggle(`many`,e.length>wa),this.child(`rows`).replaceChildren(...e.map(e=>this.row(e,t))),this.markChosen()}row(e,t){let n=ha(e),{drawing:r}=fa(ma(e),t,n,12),i=document.createElement(`li`),a=document.createElement(`button`);return a.className=`bare`,a.dataset.host=e.host,a.append(Oa(`host`,e.host)),e.slow&&a.append(Oa(`slow`,`▲ slow`)),a.addEventListener(`click`,()=>this.choose(e)),a.addEventListener(`focus`,()=>this.tip?.show(i,n)),a.addEventListener(`blur`,()=>this.tip?.hide()),i.addEventListener(`pointerenter`,()=>this.tip?.show(i,n)),i.addEventListener(`pointerleave`,()=>this.tip?.hide()),i.append(a,r,Oa(`total`,P(e.own_ns))),i}choose(e){if(this.chosen=e,this.points=e?ba(e,this.hosts):[],this.markChosen(),!e||this.points.length===0)return;let t=this.child(`steps`),n=`Own time of ${e.host} and the median of the other hosts: ${this.points.map(xa).join(`; `)}`,{drawing:r,groups:i}=da(this.points,n);t.replaceChildren(r),new Y(t).explain(r,i,this.points.map(xa))}markChosen(){for(let e of this.child(`rows`).querySelectorAll(`button`))e.setAttribute(`aria-pressed`,String(e.dataset.host===this.chosen?.host))}};function Oa(e,t){let n=document.createElement(`span`);return n.className=e,n.textContent=t,n}customElements.define(Da.is,Da);function ka({iterators:e,pipelines:t}){let n=t[0];return n?n.iterators.flatMap(t=>e[t]??[]):e}function Aa(e){let t=new Set(ka(e));return e.iterators.filter(e=>!t.has(e))}function ja(e){let t=e.find(({stage:e})=>e===`transfer`);return e.map(e=>[e,t&&e.pipeline!==t.pipeline?t.depth+1+e.depth:e.depth])}var Ma=[{head:`Works per batch`,cell:e=>P(e.batch_ns),kind:`number`},{head:`Of the wait`,cell:e=>I(e.wait_ratio),kind:`number`},{head:`At once`,cell:za,kind:`number`},{head:`Ready`,cell:Ba,kind:`number`},{head:`Calls`,cell:e=>R(e.calls_count),kind:`number`},{head:`Above 50 µs`,cell:e=>R(e.slow_calls_count),kind:`number`},{head:`Own`,cell:e=>P(e.self_ns),kind:`number`},{head:`Total`,cell:e=>P(e.total_ns),kind:`number`},{head:`Element`,cell:e=>e.element_bytes===null?``:L(e.element_bytes),kind:`number`}],Na=[{head:`Host`,cell:({host:e})=>e,kind:`name`},{head:`Iterator`,cell:({name:e})=>e,kind:`name`},{head:`Does`,cell:({stage:e})=>e},...Ma],Pa=class extends D{static get is(){return`tfperf-input`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{input:Object,columns:{type:Array,value:()=>Na},others:{type:Array,computed:`othersOf(input)`}}}static get observers(){return[`draw(input)`]}ready(){super.ready(),this.draw(this.input)}draw(e){let t=e?ka(e):[];this.$?.tree?.replaceChildren(...t.length?[Fa(t)]:[])}othersOf(e){return e?Aa(e):[]}othersHeading(e){return`Other pipelines: ${B(e.length,`iterator`)}`}subtitle(e){let t=e?.pipelines[0];if(!t)return``;let n=new Set(e.iterators.map(({host:e})=>e)),r=t.batch_bytes===null?[]:[`${L(t.batch_bytes)} a batch`];return[...n.size>1?[t.host]:[],...r,`slowest request ${P(t.slowest_ns)}`].join(` · `)}};function Fa(e){let t=document.createElement(`table`),n=t.createTHead().insertRow();for(let[e,t]of[[`Stage`,`stage`],[`Does`,``],...Ma.map(({head:e,kind:t})=>[e,t??``])]){let r=document.createElement(`th`);r.scope=`col`,r.className=t??``,r.append(e??``),n.append(r)}let r=t.createTBody();for(let[t,n]of ja(e)){let e=r.insertRow();e.className=[t.on_critical_path?`path`:``,t.is_bottleneck?`bottleneck`:``].join(` `).trim();let i=e.insertCell();if(i.className=`stage`,i.style.paddingLeft=`${10+12*Math.min(n,12)}px`,i.title=t.name,i.append(Ia(`level ${n+1}${t.on_critical_path?`, on the critical path`:``}: `),La(t.written)),t.is_bottleneck){let e=document.createElement(`span`);e.className=`badge`,e.textContent=`bottleneck`,i.append(e)}e.insertCell().append(Ra(t));for(let n of Ma){let r=e.insertCell();r.className=`number`,r.append(n.cell(t,0))}}return t}function Ia(e){let t=document.createElement(`span`);return t.className=`unseen`,t.textContent=e,t}function La(e){let t=document.createElement(`span`);return t.className=`code`,t.textContent=e,t}function Ra({stage:e,filtered_ratio:t}){return t?`${e}, drops ${I(t)}`:e}function za({at_once:e,parallelism:t,autotune:n}){let r=t===null?R(e):`${R(e)} of ${R(t)}`;return n&&t!==null?`${r}, tuned`:r}function Ba({buffered_elements:e,buffer_limit:t}){return e===null?t===null?``:`of ${R(t)}`:t===null?R(e):`${R(e)} of ${R(t)}`}customElements.define(Pa.is,Pa);var Va=16,Ha=.005,Ua=class extends D{static get is(){return`tfperf-ledger`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{report:{type:Object,observer:`onReport`},subtitle:{type:String,value:``},absence:{type:String,value:``},idleDevices:{type:String,value:``},overlap:{type:String,value:``},hiddenBars:{type:String,value:``},why:{type:Array,value:()=>[]},columns:{type:Array,value:()=>[]},table:{type:Array,value:null}}}onReport(e){this.table=null;let t=this.shadowRoot?.querySelector(`details`);t&&(t.open=!1);let{ledger:n}=e;if(this.absence=n?``:Ja(e),this.subtitle=``,!n)return;let r=n.devices.length===1?``:`one row a GPU, `;this.subtitle=`${r}average of ${B(e.steps.count,`step`)}`,this.idleDevices=Ya(e.devices,n),this.overlap=Za(n),this.why=Xa(e),this.drawRows(n,Va),this.child(`legend`).replaceChildren(...j(n.accounts).filter(({id:e})=>Wa(e,n)).map(({id:e,ratio:t})=>K(A(e),`${A(e).words} ${I(t)}`)))}onMore(){this.report.ledger&&this.drawRows(this.report.ledger,1/0)}onTable(e){let{ledger:t,hosts:n}=this.report;if(!e.target.open||!t)return;let{devices:r}=t,i=n.length>1;this.columns=[`average`,`share`,...r.map(e=>Ka(e,i))];let a=(e,t)=>({words:A(e.id).words,inner:t,cells:[P(e.ns),I(e.ratio),...r.map(({accounts:n})=>{let r=n.find(({id:t})=>t===e.id);return t?``:P(r?.ns??0)})]});this.table=j(t.accounts).flatMap(e=>[a(e,``),...e.id===`compute`?j(t.compute).map(e=>a(e,`inner`)):[]]),this.table.push({words:`step`,inner:`sum`,cells:[P(t.step_ns),I(1),...r.map(e=>P(e.step_ns))]})}child(e){return this.$[e]}drawRows(e,t){let n=Math.max(...e.devices.map(({step_ns:e})=>e),1),r=this.report.hosts.length>1,i=e.devices.slice(0,t),a=e.devices.length-i.length;this.hiddenBars=a>0?`Show all ${B(e.devices.length,`GPU`)}`:``,this.tip??=new Y(this.child(`chart`)),this.tip.hide();let o=Math.max(...i.map(e=>Ka(e,r).length));this.style.setProperty(`--label-width`,r?`min(220px, ${o}ch)`:`56px`),this.child(`rows`).replaceChildren(...i.map(e=>this.row(e,n,r)))}row(e,t,n){let r=j(e.accounts),i=Ka(e,n),a=r.map(e=>qa(e)),{drawing:o,segments:s}=fa(r.map(({id:e,ns:t})=>({look:A(e),ns:t})),t,`${i}, ${P(e.step_ns)}: ${a.join(`; `)}`);this.tip?.explain(o,s,a.map(e=>`${i}: ${e}`));let c=document.createElement(`div`);c.className=`row`;let l=Ga(`device`,``);return l.title=`${e.host} ${V(e.device)}`,n&&l.append(Ga(`host`,e.host)),l.append(Ga(``,V(e.device))),c.append(l,o,Ga(`total`,P(e.step_ns))),c}};function Wa(e,{devices:t}){return t.some(({accounts:t})=>t.some(t=>t.id===e&&t.ratio>=Ha))}function Ga(e,t){let n=document.createElement(`span`);return n.className=e,n.textContent=t,n}function Ka(e,t){return t?`${e.host} ${V(e.device)}`:V(e.device)}function qa({id:e,ns:t,ratio:n}){return`${A(e).words}, ${P(t)}, ${I(n)} of the step`}function Ja({devices:e,steps:t}){return e.length===0?`No GPU was recorded in this profile, so there is no GPU time to divide. What the host shows is judged below.`:t.count===0?`No complete step can be told in this profile, so GPU time cannot be divided among steps.`:`Nothing was recorded on the GPUs during the steps of this profile.`}function Ya(e,t){let n=new Set(t.devices.map(({host:e,device:t})=>`${e} ${t}`)),r=e.filter(({host:e,device:t})=>!n.has(`${e} ${t}`));if(r.length===0)return``;let i=new Set(e.map(({host:e})=>e)).size>1,a=r.map(e=>Ka(e,i));return`${a.slice(0,24).join(`, `)}${a.length>24?` …`:``}: ran no kernel.`}function Xa({idle:e}){return e.filter(({sentence:e})=>e).map(({account:e,ns:t,sentence:n})=>`${P(t)} ${A(e).words}: ${n}`)}function Za(e){let{hidden_communication_ns:t,hidden_copy_ns:n}=e,r=[t>0?`${P(t)} of communication`:``,n>0?`${P(n)} of copies`:``].filter(Boolean);return r.length===0?``:`Hidden under compute, so they cost nothing: ${r.join(` and `)} per step.`}customElements.define(Ua.is,Ua);var Qa=18,$a=130,eo=1e3,to=6;function no(e,t){let n=e.points,r=e=>e/Math.max(n.length,1),i=t=>Qa+$a*(1-t/e.capacity_bytes),a=n.map((e,t)=>`${t===0?`M`:`H`}${(r(t)*eo).toFixed(2)}${t===0?` ${i(e.used_bytes).toFixed(2)}`:`V${i(e.used_bytes).toFixed(2)}`}`).join(``),o=G(`svg`,{width:`100%`,height:148,viewBox:`0 0 ${eo} 148`,preserveAspectRatio:`none`},G(`path`,{d:`${a}H${eo}V148H0Z`,class:`area`}),G(`path`,{d:`${a}H${eo}`,class:`line`,"vector-effect":`non-scaling-stroke`})),s=e=>`${(100*e).toFixed(3)}%`,c=n.map((e,t)=>G(`g`,{},G(`rect`,{x:s(r(t)),y:Qa,width:s(r(1)),height:$a,class:`slot`}),G(`circle`,{cx:s(r(t)),cy:i(e.used_bytes),r:3,class:`point`}))),l=r(Math.max(0,n.findIndex(({used_bytes:t})=>t===e.recorded_peak_bytes))),u=i(e.before_bytes),d=n.length<to?n.keys():Array.from({length:to},(e,t)=>Math.floor(t*n.length/to));return{drawing:G(`svg`,{width:`100%`,height:170,role:`img`,"aria-label":t},...oi(e.capacity_bytes).map(e=>G(`g`,{},G(`line`,{x1:0,x2:`100%`,y1:i(e),y2:i(e),class:`grid`}),G(`text`,{x:0,dx:-8,y:i(e)+4,class:`tick end`},e===0?`0`:L(e)))),o,...e.before_bytes>0?[G(`line`,{x1:0,x2:`100%`,y1:u,y2:u,class:`before`})]:[],G(`line`,{x1:0,x2:`100%`,y1:Qa,y2:Qa,class:`capacity`}),G(`text`,{x:`100%`,y:12,class:`tick end`},`capacity ${L(e.capacity_bytes)}`),G(`circle`,{cx:s(l),cy:i(e.recorded_peak_bytes),r:4,class:`peak`}),G(`text`,{x:s(l),dx:l>.5?-8:8,y:Math.max(30,i(e.recorded_peak_bytes)-6),class:l>.5?`mark end`:`mark`},`peak ${L(e.recorded_peak_bytes)}`),...c,...[...d].map(e=>G(`text`,{x:s(r(e)),y:164,class:`tick start`},F(n[e]?.at_ms??0)))),groups:c,points:n}}var ro={forward:[`forward pass`,`solid`],loss:[`loss`,`cross`],backward:[`backward pass`,`rising`],optimizer:[`optimizer`,`bars`]};function Z(e){let[t,n]=ro[e]??[`not told by its name`,`dots`];return{words:t,pattern:n,colour:e in ro?`--account-compute`:`--account-unknown`}}function io(e){return e in ro?Z(e).words:``}function ao({id:e,ns:t,ratio:n}){return`${Z(e).words}, ${P(t)}, ${I(n)} of compute`}function oo({items:e,reason:t}){if(!e)return`Compute cannot be divided into forward and backward pass. ${t}`;let[n,r]=[...e].filter(({id:e})=>e in ro).sort((e,t)=>t.ns-e.ns);if(!n||n.ns===0)return``;let i=r&&r.ns>0?`, the ${Z(r.id).words} ${P(r.ns)} (${I(r.ratio)})`:``;return`Of the compute time of a step, the ${Z(n.id).words} takes ${P(n.ns)} (${I(n.ratio)})${i}.`}function so(e,t=72){if(e.length<=t)return e;let n=Math.ceil(.35*(t-1));return`${e.slice(0,n)}…${e.slice(e.length-(t-1-n))}`}function co(e,{phase:t,text:n},r){let i=n.toLowerCase().split(/\s+/).filter(Boolean);return e.filter(e=>{if(t!==``&&e.phase!==t)return!1;let n=r(e).join(`
`).toLowerCase();return i.every(e=>n.includes(e))})}function lo({rows:e,types:t}){let[n]=e;if(!n)return``;let r=t.filter(({type:e})=>e!==``).slice(0,3).map(({type:e,phase:t,ns:n,ratio:r})=>{let i=io(t);return`${e}${i?` (${i})`:``} ${P(n)}, ${I(r)}`}),i=`${so(n.name||`Work without an op`)} takes the most of a single op: ${P(n.ns)} (${I(n.ratio)}).`;return r.length>0?`Most kernel time by type of op: ${r.join(`; `)}. ${i}`:i}function uo({tensor_cores:e,eligible:t}){return e?`used`:t===null?`not used`:t?`not used, could be`:`not for this op`}var fo=10;function po({batch_growth:e},t,n){let r=I(t.peak_bytes/t.capacity_bytes),i=t.peak_bytes>t.recorded_peak_bytes?` (before the recording; during it ${L(t.recorded_peak_bytes)})`:``,a=`${V(t.device)} uses ${L(t.peak_bytes)} of ${L(t.capacity_bytes)} at the peak, ${r}${i}.`,[o]=t.alive,s=o?` Of what was allocated since then, ${so(o.op||`an op that is not named`)} holds the most: ${L(o.size_bytes)}.`:``,c=` ${L(t.before_bytes)} were there before the recording, as weights and optimizer state are.`;return!n||e===null||e<=1?a+c+s:`${a}${c}${s} By proportion a batch ${e>fo?`more than ${fo} times`:z(e,`times`).replace(`×`,`times`)} as large fits, with a tenth left free; convergence may change.`}function mo(e){let t=e.capacity_bytes-e.recorded_peak_bytes;return`${e.fragmentation_ratio===null||e.free_block_bytes===null?`How broken up the free memory is was not recorded.`:`Of the ${L(t)} free at the recorded peak, ${L(e.free_block_bytes)} are in one piece (fragmentation ${I(e.fragmentation_ratio)}).`}${{address:``,order:` Blocks are matched by size and order: addresses were not recorded.`,none:` What is alive cannot be told: sizes were not recorded.`}[e.matched]}`}function ho({at_ms:e,used_bytes:t}){return`${L(t)} in use at ${F(e)}`}var go=[{head:`Op`,cell:({op:e})=>e||`not named`,kind:`name`,value:({op:e})=>e},{head:`In use`,cell:({size_bytes:e})=>L(e),kind:`number`,value:({size_bytes:e})=>e},{head:`Blocks`,cell:({count:e})=>e>0?R(e):``,kind:`number`,value:({count:e})=>e}],_o=[{head:`GPU`,cell:({host:e,device:t})=>`${e} ${V(t)}`,kind:`name`,value:({host:e,device:t})=>`${e} ${t}`},{head:`Peak`,cell:({peak_bytes:e})=>L(e),kind:`number`,value:({peak_bytes:e})=>e},{head:`Capacity`,cell:({capacity_bytes:e})=>L(e),kind:`number`,value:({capacity_bytes:e})=>e},{head:`Share`,cell:e=>I(e.peak_bytes/e.capacity_bytes),kind:`number`,value:e=>e.peak_bytes/e.capacity_bytes},{head:`Least in use`,cell:({lasting_bytes:e})=>L(e),kind:`number`,value:({lasting_bytes:e})=>e},{head:`Largest free block at the peak`,cell:({free_block_bytes:e})=>e===null?`not recorded`:L(e),kind:`number`,value:({free_block_bytes:e})=>e}],vo=class extends D{static get is(){return`tfperf-memory`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{memory:{type:Object,observer:`onMemory`},gpu:{type:Object,value:null,observer:`onGpu`},columns:{type:Object,value:()=>({alive:go,devices:_o})}}}onMemory(e){this.$.choice.value=`0`,this.gpu=e?.devices[0]??null}onChoice(){this.gpu=this.memory?.devices[Number(this.$.choice.value)]??null}onGpu(e){if(!e||!this.memory)return;let{drawing:t,groups:n,points:r}=no(e,`Memory in use over time. ${this.sentence(this.memory,e)}`),i=this.$.chart;i.replaceChildren(t),new Y(i).explain(t,n,r.map(ho))}subtitle(e){return e?`${B(e.devices.length,`GPU`)}, as TensorFlow’s allocator recorded it`:``}sentence(e,t){return e&&t?po(e,t,t===e.devices[0]):``}several(e){return(e?.devices.length??0)>1}label({host:e,device:t},n){return new Set(n.devices.map(e=>e.host)).size>1?`${e} ${V(t)}`:V(t)}note(e){return e?mo(e):``}alive(e){if(!e)return[];let t={op:`allocated before the recording`,size_bytes:e.before_bytes,count:0};return e.before_bytes>0?[t,...e.alive]:e.alive}capped(e){return e&&e.alive_total>e.alive.length?`The ${R(e.alive.length)} ops that hold the most, of ${R(e.alive_total)}.`:``}};customElements.define(vo.is,vo);var yo=`import tensorflow as tf

tensorboard = tf.keras.callbacks.TensorBoard("LOGDIR", profile_batch=(10, 20))
model.fit(data, epochs=1, callbacks=[tensorboard])`,bo=`import tensorflow as tf

for step in range(30):
    if step == 10:
        tf.profiler.experimental.start("LOGDIR")
    with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        batch = next(batches)
        train_step(batch)
tf.profiler.experimental.stop()`,xo=class extends D{static get is(){return`tfperf-no-profiles`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{keras:{type:String,value:yo},loop:{type:String,value:bo}}}onRetry(){J(this,`retry`)}};customElements.define(xo.is,xo);function So(e){let t=so(e);if(t===e)return e||`not named`;let n=document.createElement(`span`);return n.textContent=t,n.title=e,n.className=`elided`,n.tabIndex=0,n.addEventListener(`focus`,()=>n.textContent=e),n.addEventListener(`blur`,()=>n.textContent=t),n}function Q(e,t,n){return{head:e,cell:e=>{let r=t(e);return r===null?``:n(r)},value:t,kind:`number`}}function $(e,t){return{head:e,cell:t,value:t}}function Co(e,t){return{head:e,cell:e=>So(t(e)),value:t,kind:`name`}}var wo=[$(`Phase`,({phase:e})=>io(e)),Q(`Per step`,({ns:e})=>e,P),Q(`Share`,({ratio:e})=>e,I),Q(`Launches`,({count_per_step:e})=>e,R),Q(`Mean`,({mean_ns:e})=>e,P),Q(`Shortest`,({min_ns:e})=>e,P),Q(`Longest`,({max_ns:e})=>e,P)],To=[Co(`Op`,e=>e.name),$(`Type`,({type:e})=>e),...wo,Q(`Kernels`,({kernels:e})=>e,R)],Eo=[$(`Type`,({type:e})=>e||`not named`),...wo.slice(0,5),Q(`Ops`,({ops:e})=>e,R)],Do=[Co(`Kernel`,e=>e.name),Co(`Op`,({op:e})=>e),...wo,$(`Class`,({kernel_class:e})=>e),$(`Precision`,({precision:e})=>e),$(`Tensor Cores`,uo),Q(`Registers`,({registers:e})=>e,R),Q(`Shared memory`,({shared_bytes:e})=>e,L),$(`Grid`,({grid:e})=>e),$(`Block`,({block:e})=>e),Q(`Occupancy`,({occupancy_ratio:e})=>e,I)],Oo=[Co(`Op`,e=>e.name),$(`Type`,({type:e})=>e),Q(`Own time`,({self_ns:e})=>e,P),Q(`Time`,({ns:e})=>e,P),Q(`Calls`,({calls_per_step:e})=>e,R)],ko=class extends D{static get is(){return`tfperf-ops`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{report:{type:Object,observer:`onReport`},phases:{type:Array,value:()=>[]},types:{type:Array,value:()=>[]},ops:{type:Array,value:()=>[]},kernels:{type:Array,value:()=>[]},hostOps:{type:Array,value:()=>[]},found:{type:String,value:``},columns:{type:Object,value:()=>({types:Eo,ops:To,kernels:Do,hostOps:Oo})}}}onReport({phases:e}){this.phases=(e?.items??[]).filter(({ns:e})=>e>0).map(({id:e})=>({id:e,words:Z(e).words})),this.$.phase.value=``,this.$.text.value=``,this.filter({phase:``,text:``})}onFilter(){let e={phase:this.$.phase.value,text:this.$.text.value};this.filter(e);let t=[this.ops,this.kernels,this.hostOps].map(({length:e})=>e),n=e.phase===``&&e.text.trim()===``;this.found=n?``:`${B(t[0]??0,`op`)}, ${B(t[1]??0,`kernel`)} and ${B(t[2]??0,`op`)} on the host match.`}sentence({ops:e}){return e?lo(e):`No kernels can be given to steps in this profile; the host’s ops are below.`}heading(e,t,n){let r=n?.rows.length??0;return`${e} (${t.length<r?`${R(t.length)} of `:``}${R(r)})`}capped(e){return e&&e.total>e.rows.length?`The ${R(e.rows.length)} with the most time of ${R(e.total)}.`:``}filter(e){this.found=``,this.types=co(this.report.ops?.types??[],e,({type:e})=>[e]),this.ops=co(this.report.ops?.rows??[],e,({name:e,type:t})=>[e,t]),this.kernels=co(this.report.kernels?.rows??[],e,e=>[e.name,e.op,e.kernel_class,e.precision]),this.hostOps=co(this.report.host_ops?.rows??[],{...e,phase:``},({name:e,type:t})=>[e,t])}};customElements.define(ko.is,ko);var Ao=[{head:`Phase`,cell:({id:e})=>Z(e).words},{head:`Per step`,cell:({ns:e})=>P(e),kind:`number`},{head:`Share of compute`,cell:({ratio:e})=>I(e),kind:`number`}],jo=class extends D{static get is(){return`tfperf-phases`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{phases:{type:Object,observer:`onPhases`},columns:{type:Array,value:()=>Ao}}}onPhases(e){let t=this.rows(e);if(t.length===0)return;let n=t.map(ao),{drawing:r,segments:i}=fa(t.map(({id:e,ns:t})=>({look:Z(e),ns:t})),Math.max(1,t.reduce((e,{ns:t})=>e+t,0)),`Compute by phase: ${n.join(`; `)}`,14),a=this.$.chart;a.replaceChildren(r),new Y(a).explain(r,i,n),this.$.legend?.replaceChildren(...t.map(({id:e,ratio:t})=>K(Z(e),`${Z(e).words} ${I(t)}`)))}rows(e){return e?.items?.filter(({ns:e})=>e>0)??[]}sentence(e){return e?oo(e):``}};customElements.define(jo.is,jo);var Mo={xspace:`Reading the profile`,trace:`Sorting events into kernels, copies and host work`,steps:`Finding the steps`,ledger:`Dividing each step among its causes`,rules:`Checking the rules`,report:`Writing the report`},No=class extends D{static get is(){return`tfperf-progress`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{progress:{type:Object,value:null}}}stage(e){return`${e?Mo[e.stage]??`Analysing the profile`:`Loading`} …`}share(e){return I(e?.share??0)}};customElements.define(No.is,No);var Po={markers:`told by the step markers of the host`,function_runs:`told by the runs of the step’s function on the host`,steps_line:`told by the Steps line of the profile`,period:`guessed from the period of the GPU’s work`,none:`not told by anything in this profile`},Fo=1e6,Io=[{head:`Step`,cell:e=>String(e.number)},{head:`Host`,cell:({host:e})=>e,kind:`name`},{head:`Begins at`,cell:e=>F(e.begin_ms),kind:`number`},{head:`Length`,cell:e=>P((e.end_ms-e.begin_ms)*Fo),kind:`number`},{head:`Compute`,cell:Ro,kind:`number`},{head:`Most other time`,cell:zo},{head:`Note`,cell:e=>e.note||(e.judged?``:`left out`),kind:`note name`}],Lo=class extends D{static get is(){return`tfperf-steps`}static get template(){return E`
      ${k}
      <style>
        :host { display: block; }
        tfperf-table { margin-top: 4px; }
      </style>
      <h2>Steps <small>[[subtitle(steps)]]</small></h2>
      <p class="note">[[sizes(steps)]]</p>
      <tfperf-table heading="Each step" columns="[[columns]]" items="[[steps.items]]" note="[[capped(steps)]]"></tfperf-table>
    `}static get properties(){return{steps:Object,columns:{type:Array,value:()=>Io}}}subtitle(e){return`${B(e.count,`step`)} judged, ${Po[e.source]}`}sizes(e){if(e.count===0)return``;let{mean_ns:t,p50_ns:n,p95_ns:r,max_ns:i}=e;return`mean ${P(t)} · median ${P(n)} · 95th percentile ${P(r)} · longest ${P(i)}`}capped(e){let{items:t,items_total:n}=e;return n>t.length?`The first ${t.length} of ${n} steps.`:``}};function Ro(e){let t=Bo(e).get(`compute`);return t===void 0?``:I(t)}function zo(e){let[t]=[...Bo(e)].filter(([e])=>e!==`compute`).sort((e,t)=>t[1]-e[1]);return t&&t[1]>0?`${A(t[0]).words}, ${I(t[1])}`:``}function Bo(e){let t=new Map,n=0;for(let{accounts:r}of e.devices)for(let[e,i]of Object.entries(r))t.set(e,(t.get(e)??0)+i),n+=i;for(let[e,r]of t)t.set(e,n>0?r/n:0);return t}customElements.define(Lo.is,Lo);var Vo=class extends D{static get is(){return`tfperf-summary`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{report:Object}}parts(e){return Br(e)}missingClass(e){return e.missing?`missing`:``}nothingKnown(e){return this.numbers(e).every(({missing:e})=>e)}numbers(e){let t=e.key_numbers,n=t.ops_on_device_count_ratio,r=t.compute_tf32_ratio??0,i=[Ho(t.device_time_ratio,`of the step on the device`,`Step time in which the GPU works.`),Ho(t.ops_on_device_ratio,`of op time placed on the device${n===null?``:`, ${I(n)} of ops`}`,`Ops that run on a GPU and not on the CPU, by time and by count.`),Ho(t.compute_16bit_ratio,`of compute in 16 bit${r>0?`, ${I(r)} in TF32`:``}`,`Kernel time in float16 and bfloat16; TensorFloat-32 is counted apart.`),Ho(t.gpu_busy_ratio,`GPU busy`,`Time in which anything at all runs on a GPU.`)],{transfer_ns:a=null,ring_bound_ns:o=null}=e.allreduce??{};if(a){let e=o?`, ${(a/o).toFixed(1)} × the ring bound`:``;i.push({value:P(a),words:`AllReduce transfer${e}`,more:`Per step; waiting for other GPUs is not in it.`,missing:!1})}return i}};function Ho(e,t,n){return{value:e===null?`not recorded`:I(e),words:t,more:n,missing:e===null}}customElements.define(Vo.is,Vo);function Uo(e){let t=new Map;for(let n of e){let e=JSON.stringify(n.facts),r=t.get(e)??{records:[],facts:n.facts};r.records.push(n),t.set(e,r)}return[...t.values()]}var Wo=`from tfperf_plugin.keras import DiagnosticsCallback
model.fit(..., callbacks=[tensorboard, DiagnosticsCallback(LOGDIR)])`,Go=class extends D{static get is(){return`tfperf-training`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{records:{type:Array,value:()=>[]},snippet:{type:String,value:Wo}}}groups(e){return Uo(e)}who({host:e,file:t,recorded:n}){return[e,t,n].filter(Boolean).join(` · `)}};customElements.define(Go.is,Go);var Ko=class extends D{static get is(){return`tfperf-trust`}static get template(){return E`
      ${k}
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
    `}static get properties(){return{notes:{type:Array,observer:`onNotes`},open:{type:Object,value:null}}}onNotes(){this.open=null}onOpen(e){this.open=this.open===e.model.item?null:e.model.item}page(e){return f(document.baseURI,e.id)}isOpen(e,t){return String(e===t)}icon(e){return{critical:`●`,warning:`▲`,info:`i`}[e.severity]}};customElements.define(Ko.is,Ko);function qo(e){return e.filter(({saving:e})=>e!==null)}function Jo(e,t){let n=new Set((e??``).split(`,`));return qo(t).map(({id:e})=>e).filter(e=>n.has(e))}function Yo({step_ns:e,predicted_ns:t,saved_ns:n}){return n<=0?`A step would still take about ${P(e)}.`:`A step would take about ${P(t)} instead of ${P(e)} (−${I(n/e)}).`}function Xo(e){if(!e)return``;let t=`${Zo(e.low_ratio)} to ${Zo(e.high_ratio)}`;return`In nine of ten of ${e.runs} simulated runs, predictions of this kind were off by ${t} of the step (−: the step became shorter than predicted).`}function Zo(e){return`${e<0?`−`:`+`}${(Math.abs(e)*100).toFixed(1)}\u00a0%`}var Qo=.005,$o=class extends D{constructor(...e){super(...e),this.asking=new AbortController}static get is(){return`tfperf-what-if`}static get template(){return E`
      ${k}
      <style>
        :host { display: block; }
        fieldset { border: 0; display: grid; gap: 2px; margin: 10px 0 0; min-width: 0; padding: 0; }
        label { align-items: baseline; border-radius: 6px; cursor: pointer; display: grid; gap: 10px; grid-template-columns: auto minmax(0, 1fr) auto; padding: 5px 8px; }
        label:hover { background: var(--ground); }
        input { accent-color: var(--accent); cursor: inherit; margin: 0; transform: translateY(1px); }
        .saving { color: var(--ink-2); font-size: 13px; white-space: nowrap; }
        #result { border: 1px solid var(--line); border-radius: 10px; margin-top: 12px; padding: 14px 16px; }
        .answer { font-size: 16px; }
        #chart { margin-top: 10px; position: relative; }
        .row { align-items: center; display: grid; font-size: 13px; gap: 12px; grid-template-columns: 66px 1fr 66px; margin-top: 7px; }
        .row svg { border-radius: 4px; display: block; overflow: hidden; }
        .row g.on { stroke: var(--ink); stroke-width: 2; }
        .total { font-variant-numeric: tabular-nums; text-align: right; }
        .limits { margin-top: 10px; padding-left: 18px; }
        .error { margin-top: 10px; }
        .button { margin-top: 10px; }
      </style>
      <section aria-labelledby="title" hidden$="[[!choices.length]]">
        <h2 id="title">What if <small>the step, replayed without the causes of what you choose</small></h2>
        <fieldset>
          <legend class="unseen">Findings to remove</legend>
          <template is="dom-repeat" items="[[choices]]">
            <label>
              <input type="checkbox" checked="[[item.chosen]]" on-change="onChoose">
              <span class="name">[[item.title]]</span>
              <span class="saving">[[item.saving]]</span>
            </label>
          </template>
        </fieldset>
        <div id="result" hidden$="[[!shown]]" aria-busy$="[[busy]]">
          <p class="answer" role="status">[[sentence]]</p>
          <div id="chart"><div id="rows"></div></div>
          <ul id="legend" class="legend" aria-label="Accounts before and after"></ul>
          <ul class="note limits" aria-label="What limits the prediction" hidden$="[[!limits.length]]">
            <template is="dom-repeat" items="[[limits]]"><li>[[item]]</li></template>
          </ul>
          <p class="note error" hidden$="[[!error]]">[[error]] <a href="page?rule=accuracy" target="_blank" rel="noopener">How that was measured</a></p>
          <button class="button" on-click="onNone">Choose none</button>
        </div>
      </section>
    `}static get properties(){return{report:{type:Object},ask:{type:Object},without:{type:String,value:null},choices:{type:Array,value:()=>[]},sentence:{type:String,value:``},limits:{type:Array,value:()=>[]},error:{type:String,value:``},shown:{type:Boolean,value:!1},busy:{type:String,value:`false`}}}static get observers(){return[`onInput(report, ask, without)`]}onInput(e,t,n){if(!e)return;let r=Jo(n,e.findings);this.choices=qo(e.findings).map(e=>es(e,r.includes(e.id))),this.asking.abort(),!r.length||!t?(this.shown=!1,this.sentence=``):this.predict(r,t)}onChoose(e){let{checked:t}=e.target,n=this.choices.filter(({id:n,chosen:r})=>n===e.model.item.id?t:r).map(({id:e})=>e);J(this,`without-change`,{without:n.join(`,`)||null})}onNone(){J(this,`without-change`,{without:null}),this.shadowRoot?.querySelector(`input`)?.focus()}async predict(e,t){let{signal:n}=this.asking=new AbortController;this.busy=`true`,this.shown||(this.sentence=`Replaying the step …`),this.shown=!0;try{let r=await t(e,n);n.aborted||this.present(r)}catch(e){if(n.aborted)return;this.present(null),this.sentence=e instanceof p?e.message:`The step could not be replayed.`}finally{n.aborted||(this.busy=`false`)}}present(e){this.sentence=e?Yo(e):``,this.limits=e?.limits??[],this.error=Xo(e?.error??null),this.tip??=new Y(this.$.chart),this.tip.hide();let t=e?.accounts??[],n=e?.step_ns??1,r=e?[this.row(`now`,t,`before_ns`,n),this.row(`predicted`,t,`after_ns`,n)]:[];this.$.rows.replaceChildren(...r),this.$.legend.replaceChildren(...j(t.map(e=>({...e,ns:Math.max(e.before_ns,e.after_ns)}))).filter(({ns:e})=>e>=Qo*n).map(({id:e,before_ns:t,after_ns:n})=>K(A(e),`${A(e).words} ${ts(t,n)}`)))}row(e,t,n,r){let i=j(t.map(e=>({id:e.id,ns:e[n]}))),a=i.reduce((e,{ns:t})=>e+t,0),o=i.map(({id:e,ns:t})=>`${A(e).words}, ${P(t)}, ${I(t/Math.max(a,1))} of the step`),{drawing:s,segments:c}=fa(i.map(({id:e,ns:t})=>({look:A(e),ns:t})),Math.max(r,1),`${e}, ${P(a)}: ${o.join(`; `)}`);this.tip?.explain(s,c,o.map(t=>`${e}: ${t}`));let l=document.createElement(`div`);l.className=`row`;let u=document.createElement(`span`);u.textContent=e;let d=document.createElement(`span`);return d.className=`total`,d.textContent=P(a),l.append(u,s,d),l}};function es({id:e,title:t,saving:n},r){return{id:e,title:t,chosen:r,saving:n?`${zr(n)} (${I(n.ratio)})`:``}}function ts(e,t){let[n,r]=[P(e),P(t)];return n===r?n:`${n} → ${r}`}customElements.define($o.is,$o);var ns=class extends D{constructor(...e){super(...e),this.state=br,this.wanted=null,this.retyped=new Set,this.loading=new AbortController,this.stale=!1}static get is(){return`tfperf-app`}static get template(){return E`
      ${k}
      <style>
        :host { background: var(--page); display: block; min-height: 100vh; }
        main { margin: 0 auto; max-width: 1180px; padding: 0 24px 64px; }
        tfperf-ledger, tfperf-findings, tfperf-what-if, tfperf-allreduce, tfperf-hosts, tfperf-input, tfperf-ops, tfperf-memory, tfperf-steps, tfperf-training { margin-top: 32px; }
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
          <tfperf-what-if report="[[report]]" ask="[[predict]]" without="[[without]]"></tfperf-what-if>
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
    `}static get properties(){return{view:{type:String,value:`waiting`},runs:{type:Array,value:()=>[]},run:{type:String,value:null},report:{type:Object,value:null},progress:{type:Object,value:null},error:{type:Object,value:null},access:{type:Object,value:null},opened:{type:String,value:null},without:{type:String,value:null},predict:{type:Object,value:null},typed:{type:Object,value:()=>dr},refused:{type:Object,value:()=>pr},recomputing:{type:Boolean,value:!1}}}ready(){super.ready();let e=(e,t)=>this.addEventListener(e,e=>t(e.detail));e(`run-change`,({run:e})=>this.choose({...br,run:e})),e(`assume`,({field:e,text:t})=>{this.wanted={...this.wanted??this.typed,[e]:t},this.retyped.add(e),this.recomputing=!0,this.load()}),e(`retry`,()=>void this.load()),e(`finding-toggle`,({id:e,expanded:t})=>{t?this.remember({...this.state,finding:e}):this.state.finding===e&&this.remember({...this.state,finding:null})}),e(`without-change`,({without:e})=>{this.without=e,this.remember({...this.state,without:e})}),e(`open-profile-tab`,({target:e,click:t})=>{this.host.openProfileTab(e)&&t.preventDefault()})}start(e,t){return this.backend=e,this.host=t,this.predict=(e,t)=>this.backend.predict({run:this.run??``,...this.typed},e,t),this.state=t.readAddress(),this.without=this.state.without,t.onShown(()=>this.catchUp()),this.load()}reload(){this.host.isShown()?this.load():this.stale=!0}hasRuns(e,t){return e.length>0||t!==null}hasOps(e){return!!(e?.ops??e?.host_ops)}severalHosts(e){return(e?.by_host.length??0)>1}is(e,t){return e===t}catchUp(){let e=this.host.readAddress();e.run!==null&&JSON.stringify(e)!==JSON.stringify(this.state)?this.choose(e):(this.host.writeAddress(this.state),this.stale&&this.load())}current(e,t){return e===`report`?t:null}remember(e){this.state=e,this.host.writeAddress(e)}choose(e){this.remember(e),this.without=e.without,this.wanted=null,this.typed=dr,this.refused=pr,this.retyped.clear(),this.recomputing=!1,this.load()}async load(){this.loading.abort(),this.loading=new AbortController,this.stale=!1;let{signal:e}=this.loading;try{let t=await this.backend.runs();if(e.aborted)return;this.runs=t;let n=this.state.run??t[0]?.name;if(n===void 0){this.run=null,this.view=`empty`;return}(n!==this.report?.run||this.view!==`report`)&&this.wait(n);let{parameters:r,bandwidth:i}=this.state,a=r!==null||i!==null;this.wanted??=a?{parameters:r,bandwidth:i}:this.host.recall(n);let o=await this.ask(n,this.wanted,e);e.aborted||this.present(n,o)}catch(t){e.aborted||this.fail(t)}}wait(e){this.run=e,this.progress=null,this.access=null,this.view=`waiting`}async ask(e,t,n){let r=e=>{this.recomputing||(this.progress=e,this.view=`waiting`)},i=t=>this.backend.report({run:e,...t},r,n),a={...pr};try{return{report:await i(t),typed:t,refused:a}}catch(e){if(!rs(e))throw e}let o=this.typed;for(let e of fr){let n=t[e];if(n!==o[e])try{await i({...o,[e]:n}),o={...o,[e]:n}}catch(t){if(!rs(t))throw t;a[e]={text:n??``,message:t.message}}}return{report:await i(o),typed:o,refused:a}}present(e,{report:t,typed:n,refused:r}){this.run=e,this.wanted=n,this.recomputing&&this.host.keep(e,n),this.typed=n;for(let e of fr)this.retyped.has(e)||(r[e]??=this.refused[e]);this.retyped.clear(),this.refused=r,this.recomputing=!1,this.remember({...this.state,run:e,...n}),(this.view!==`report`||JSON.stringify(t)!==JSON.stringify(this.report))&&(this.opened=this.state.finding,this.report=t,this.view=`report`),this.backend.traceAccess(e).then(t=>{this.run===e&&(this.access=t)})}fail(e){this.error=e instanceof p?e:new p(e instanceof Error?e.message:String(e),`internal`),this.recomputing=!1,this.view=`failed`}};function rs(e){return e instanceof p&&e.kind===`bad_request`}customElements.define(ns.is,ns);var is=2e4;function as(){try{return window.parent!==window&&window.parent.document?window.parent:null}catch{return null}}function os(e){return e.querySelector(`iframe[src$="plugin_entry.html?name=profile"]`)}function ss(e,t){return new Promise(n=>{let r=e=>{a.disconnect(),clearTimeout(o),n(e)},i=()=>{let e=t();e!==null&&r(e)},a=new MutationObserver(i),o=setTimeout(()=>r(null),is);a.observe(e,{childList:!0,subtree:!0}),i()})}var cs=class{constructor(e=as(),t=document.baseURI){this.tensorboard=e,this.baseURI=t}readAddress(){return this.tensorboard?Cr(this.tensorboard.location.hash):br}writeAddress(e){if(!this.tensorboard||!wr(this.tensorboard.location.hash))return;let{history:t,location:n}=this.tensorboard,r=Tr(n.hash,e);r!==n.hash&&t.replaceState(t.state,``,r)}recall(e){return gr(e)}keep(e,t){_r(e,t)}isShown(){return window.innerHeight>0}onShown(e){let t=this.tensorboard,n=us();if(!t||!n)return;let r=()=>{this.isShown()&&e()},{ResizeObserver:i}=t;new i(r).observe(n),t.addEventListener(`hashchange`,r)}openProfileTab(e){let t=this.tensorboard;return t?(t.location.hash=`profile`,t.history.replaceState(t.history.state,``,`${c(e)}#profile`),this.zoomProfileTab(t,e),!0):!1}async zoomProfileTab(e,t){let n=await ss(e.document,()=>os(e.document)),r=n?.contentWindow;if(!n||!r)return;r.location.replace(u(this.baseURI,t,Date.now().toString(36))),await new Promise(e=>n.addEventListener(`load`,e,{once:!0}));let i=n.contentDocument;if(!i)return;let a=await ss(i,()=>{let e=i.querySelector(`trace-viewer iframe`);return e?.src?e:null});a&&(a.contentWindow?.location.replace(d(a.src,t)),e.location.hash===``&&e.history.replaceState(e.history.state,``,`${e.location.search}#profile`))}};function ls(){document.documentElement.lang=`en`,document.title=`Diagnostics`;let e=us();e&&(e.title=`Diagnostics`)}function us(){try{return window.frameElement}catch{return null}}function ds(){let e=document.documentElement,t=as()?.document.body;if(t){let n=()=>{e.dataset.theme=t.classList.contains(`dark-mode`)?`dark`:`light`};n(),new MutationObserver(n).observe(t,{attributes:!0,attributeFilter:[`class`]});return}let n=window.matchMedia(`(prefers-color-scheme: dark)`),r=()=>{e.dataset.theme=n.matches?`dark`:`light`};r(),n.addEventListener(`change`,r)}function fs(e=us()){e&&Object.defineProperty(e,"reload",{configurable:!0,get:()=>void 0,set:t=>{let n=os(e.ownerDocument);n&&Object.assign(n,{reload:t})}})}function ps(e){let t=as();if(!t)return;let{port1:n,port2:r}=new MessageChannel;n.onmessage=({data:t})=>{let{type:r,id:i,isReply:a}=JSON.parse(t);a||(n.postMessage(JSON.stringify({type:r,id:i,payload:null,error:null,isReply:!0})),r===`experimental.DataReloaded`&&e())},t.postMessage(`experimental.bootstrap`,`*`,[r])}function ms(){ls(),fs(),ds();let e=document.createElement(`style`);e.textContent=Er,document.head.append(e);let t=document.createElement(`tfperf-app`);document.body.append(t),ps(()=>t.reload()),t.start(new oe(document.baseURI),new cs)}export{ms as render};