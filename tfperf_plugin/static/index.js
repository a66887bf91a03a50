// src/links.ts
var e = "trace_viewer@", t = .001;
function n(e) {
	return new URL("../../../", e);
}
function r(e) {
	return new URL("../profile/", e);
}
function i(e, n) {
	let r = Math.min(e, n), i = Math.max(e, n), a = Math.max((i - r) * .1, t);
	return {
		begin: Math.max(0, r - a),
		end: Math.max(t, i + a)
	};
}
function a(e) {
	return e.toFixed(6);
}
function o(e, t = {}) {
	let { run: n, host: r } = e;
	return new URLSearchParams({
		run: n,
		host: r,
		hosts: r,
		...t
	}).toString();
}
function s(t, r) {
	let i = n(t);
	return i.search = o(r, { tool: e }), i.hash = "profile", i.href;
}
function c(t) {
	return `?${new URLSearchParams({
		tool: e,
		run: t.run,
		hosts: t.host
	})}`;
}
function l(t, n) {
	let s = r(t), c = new URL(`data?${o(n, { tag: e })}`, s), { begin: l, end: u } = i(n.beginMs, n.endMs), d = new URL("trace_viewer_index.html", s);
	return d.search = new URLSearchParams({
		is_streaming: "true",
		is_oss: "true",
		trace_data_url: c.pathname + c.search,
		source_code_service: "false",
		view_start: a(l),
		view_end: a(u)
	}).toString(), d.href;
}
function u(t, n, s) {
	let { begin: c, end: l } = i(n.beginMs, n.endMs), u = new URL("index.html", r(t));
	return u.search = o(n, {
		tool: e,
		view_start: a(c),
		view_end: a(l),
		nonce: s
	}), u.href;
}
function d(e, t) {
	let n = new URL(e), { begin: r, end: o } = i(t.beginMs, t.endMs);
	return n.searchParams.set("view_start", a(r)), n.searchParams.set("view_end", a(o)), n.href;
}
function f(e) {
	try {
		let t = new URL(e);
		return ["http:", "https:"].includes(t.protocol) ? t.href : void 0;
	} catch {
		return;
	}
}
// src/backend.ts
var ee = class extends Error {
	constructor(e, t) {
		super(e), this.kind = t;
	}
}, te = 250, ne = 1e3, re = [
	"not_found",
	"bad_request",
	"unreadable",
	"not_judgeable"
], ie = class {
	constructor(e, t = (e, t) => window.fetch(e, t), n = (e) => new Promise((t) => setTimeout(t, e))) {
		this.baseURI = e, this.fetch = t, this.pause = n;
	}
	async runs() {
		let { body: e } = await this.ask("runs");
		return e.runs;
	}
	async report(e, t, n) {
		let r = new URLSearchParams({ run: e.run });
		e.parameters !== null && r.set("parameters", String(e.parameters)), e.bandwidth !== null && r.set("bandwidth", String(e.bandwidth));
		for (let e = te;; e = Math.min(e * 1.5, ne)) {
			let { status: i, body: a } = await this.ask(`report?${r}`, n);
			if (i !== 202) return a;
			t(a), await this.pause(e), n.throwIfAborted();
		}
	}
	async traceAccess(e) {
		let t = r(this.baseURI);
		try {
			let r = new URL("data/plugins_listing", n(this.baseURI));
			if (!("profile" in await this.json(r))) return { state: "no_plugin" };
			if (!(await this.json(new URL("runs", t))).includes(e)) return { state: "no_run" };
			let i = new URLSearchParams({
				run: e,
				tag: "trace_viewer@"
			});
			return {
				state: "ready",
				hosts: (await this.json(new URL(`hosts?${i}`, t))).map(({ hostname: e }) => e)
			};
		} catch {
			return { state: "no_plugin" };
		}
	}
	async json(e) {
		let t = await this.fetch(e.href);
		if (!t.ok) throw Error(`${t.status}`);
		return t.json();
	}
	async ask(e, t) {
		let n;
		try {
			n = await this.fetch(new URL(e, this.baseURI).href, t ? { signal: t } : {});
		} catch (e) {
			throw t?.aborted ? e : new ee("TensorBoard does not answer. Is it still running?", "unreachable");
		}
		let r = await n.json().catch(() => null);
		if (n.ok && r !== null) return {
			status: n.status,
			body: r
		};
		let { error: i, kind: a } = r ?? {};
		throw new ee(typeof i == "string" ? i : `TensorBoard answered with status ${n.status}.`, re.includes(String(a)) ? a : "internal");
	}
};
// node_modules/@polymer/polymer/lib/utils/boot.js
window.JSCompiler_renameProperty = function(e, t) {
	return e;
};
// node_modules/@polymer/polymer/lib/utils/resolve-url.js
var ae = /(url\()([^)]*)(\))/g, oe = /(^\/[^\/])|(^#)|(^[\w-\d]*:)/, p, m;
function h(e, t) {
	if (e && oe.test(e) || e === "//") return e;
	if (p === void 0) {
		p = !1;
		try {
			let e = new URL("b", "http://a");
			e.pathname = "c%20d", p = e.href === "http://a/c%20d";
		} catch {}
	}
	if (t ||= document.baseURI || window.location.href, p) try {
		return new URL(e, t).href;
	} catch {
		return e;
	}
	return m || (m = document.implementation.createHTMLDocument("temp"), m.base = m.createElement("base"), m.head.appendChild(m.base), m.anchor = m.createElement("a"), m.body.appendChild(m.anchor)), m.base.href = t, m.anchor.href = e, m.anchor.href || e;
}
function se(e, t) {
	return e.replace(ae, function(e, n, r, i) {
		return n + "'" + h(r.replace(/["']/g, ""), t) + "'" + i;
	});
}
function ce(e) {
	return e.substring(0, e.lastIndexOf("/") + 1);
}
// node_modules/@polymer/polymer/lib/utils/settings.js
var le = !window.ShadyDOM || !window.ShadyDOM.inUse;
!window.ShadyCSS || window.ShadyCSS.nativeCss, window.customElements.polyfillWrapFlushCallback;
var ue = le && "adoptedStyleSheets" in Document.prototype && "replaceSync" in CSSStyleSheet.prototype && (() => {
	try {
		let e = new CSSStyleSheet();
		e.replaceSync("");
		let t = document.createElement("div");
		return t.attachShadow({ mode: "open" }), t.shadowRoot.adoptedStyleSheets = [e], t.shadowRoot.adoptedStyleSheets[0] === e;
	} catch {
		return !1;
	}
})(), de = window.Polymer && window.Polymer.rootPath || ce(document.baseURI || window.location.href), fe = window.Polymer && window.Polymer.sanitizeDOMValue || void 0;
window.Polymer && window.Polymer.setPassiveTouchGestures;
var g = window.Polymer && window.Polymer.strictTemplatePolicy || !1, pe = window.Polymer && window.Polymer.allowTemplateFromDomModule || !1, me = window.Polymer && window.Polymer.legacyOptimizations || !1, he = window.Polymer && window.Polymer.legacyWarnings || !1, ge = window.Polymer && window.Polymer.syncInitialRender || !1, _e = window.Polymer && window.Polymer.legacyUndefined || !1, ve = window.Polymer && window.Polymer.orderedComputed || !1, ye = window.Polymer && window.Polymer.removeNestedTemplates || !1, be = window.Polymer && window.Polymer.fastDomIf || !1, xe = window.Polymer && window.Polymer.suppressTemplateNotifications || !1;
window.Polymer && window.Polymer.legacyNoObservedAttributes;
var Se = window.Polymer && window.Polymer.useAdoptedStyleSheetsWithBuiltCSS || !1, Ce = 0;
function we() {}
we.prototype.__mixinApplications, we.prototype.__mixinSet;
var _ = function(e) {
	let t = e.__mixinApplications;
	t || (t = /* @__PURE__ */ new WeakMap(), e.__mixinApplications = t);
	let n = Ce++;
	function r(r) {
		let i = r.__mixinSet;
		if (i && i[n]) return r;
		let a = t, o = a.get(r);
		if (!o) {
			o = e(r), a.set(r, o);
			let t = Object.create(o.__mixinSet || i || null);
			t[n] = !0, o.__mixinSet = t;
		}
		return o;
	}
	return r;
}, Te = {}, Ee = {};
function De(e, t) {
	Te[e] = Ee[e.toLowerCase()] = t;
}
function Oe(e) {
	return Te[e] || Ee[e.toLowerCase()];
}
function ke(e) {
	e.querySelector("style") && console.warn("dom-module %s has style outside template", e.id);
}
var v = class extends HTMLElement {
	static get observedAttributes() {
		return ["id"];
	}
	static import(e, t) {
		if (e) {
			let n = Oe(e);
			return n && t ? n.querySelector(t) : n;
		}
		return null;
	}
	attributeChangedCallback(e, t, n, r) {
		t !== n && this.register();
	}
	get assetpath() {
		if (!this.__assetpath) {
			let e = window.HTMLImports && HTMLImports.importForElement ? HTMLImports.importForElement(this) || document : this.ownerDocument, t = h(this.getAttribute("assetpath") || "", e.baseURI);
			this.__assetpath = ce(t);
		}
		return this.__assetpath;
	}
	register(e) {
		if (e ||= this.id, e) {
			if (g && Oe(e) !== void 0) throw De(e, null), Error(`strictTemplatePolicy: dom-module ${e} re-registered`);
			this.id = e, De(e, this), ke(this);
		}
	}
};
v.prototype.modules = Te, customElements.define("dom-module", v);
// node_modules/@polymer/polymer/lib/utils/style-gather.js
var Ae = "link[rel=import][type~=css]", je = "include", Me = "shady-unscoped";
function Ne(e) {
	return v.import(e);
}
function Pe(e) {
	let t = se((e.body ? e.body : e).textContent, e.baseURI), n = document.createElement("style");
	return n.textContent = t, n;
}
function Fe(e) {
	let t = e.trim().split(/\s+/), n = [];
	for (let e = 0; e < t.length; e++) n.push(...Ie(t[e]));
	return n;
}
function Ie(e) {
	let t = Ne(e);
	if (!t) return console.warn("Could not find style data in module named", e), [];
	if (t._styles === void 0) {
		let e = [];
		e.push(...ze(t));
		let n = t.querySelector("template");
		n && e.push(...Le(n, t.assetpath)), t._styles = e;
	}
	return t._styles;
}
function Le(e, t) {
	if (!e._styles) {
		let n = [], r = e.content.querySelectorAll("style");
		for (let e = 0; e < r.length; e++) {
			let i = r[e], a = i.getAttribute(je);
			a && n.push(...Fe(a).filter(function(e, t, n) {
				return n.indexOf(e) === t;
			})), t && (i.textContent = se(i.textContent, t)), n.push(i);
		}
		e._styles = n;
	}
	return e._styles;
}
function Re(e) {
	let t = Ne(e);
	return t ? ze(t) : [];
}
function ze(e) {
	let t = [], n = e.querySelectorAll(Ae);
	for (let e = 0; e < n.length; e++) {
		let r = n[e];
		if (r.import) {
			let e = r.import, n = r.hasAttribute(Me);
			if (n && !e._unscopedStyle) {
				let t = Pe(e);
				t.setAttribute(Me, ""), e._unscopedStyle = t;
			} else e._style ||= Pe(e);
			t.push(n ? e._unscopedStyle : e._style);
		}
	}
	return t;
}
// node_modules/@polymer/polymer/lib/utils/wrap.js
var y = window.ShadyDOM && window.ShadyDOM.noPatch && window.ShadyDOM.wrap ? window.ShadyDOM.wrap : window.ShadyDOM ? (e) => ShadyDOM.patch(e) : (e) => e;
// node_modules/@polymer/polymer/lib/utils/path.js
function Be(e) {
	return e.indexOf(".") >= 0;
}
function b(e) {
	let t = e.indexOf(".");
	return t === -1 ? e : e.slice(0, t);
}
function Ve(e, t) {
	return e.indexOf(t + ".") === 0;
}
function x(e, t) {
	return t.indexOf(e + ".") === 0;
}
function S(e, t, n) {
	return t + n.slice(e.length);
}
function He(e, t) {
	return e === t || Ve(e, t) || x(e, t);
}
function C(e) {
	if (Array.isArray(e)) {
		let t = [];
		for (let n = 0; n < e.length; n++) {
			let r = e[n].toString().split(".");
			for (let e = 0; e < r.length; e++) t.push(r[e]);
		}
		return t.join(".");
	}
	return e;
}
function Ue(e) {
	return Array.isArray(e) ? C(e).split(".") : e.toString().split(".");
}
function w(e, t, n) {
	let r = e, i = Ue(t);
	for (let e = 0; e < i.length; e++) {
		if (!r) return;
		let t = i[e];
		r = r[t];
	}
	return n && (n.path = i.join(".")), r;
}
function We(e, t, n) {
	let r = e, i = Ue(t), a = i[i.length - 1];
	if (i.length > 1) {
		for (let e = 0; e < i.length - 1; e++) {
			let t = i[e];
			if (r = r[t], !r) return;
		}
		r[a] = n;
	} else r[t] = n;
	return i.join(".");
}
// node_modules/@polymer/polymer/lib/utils/case-map.js
var T = {}, Ge = /-[a-z]/g, Ke = /([A-Z])/g;
function qe(e) {
	return T[e] || (T[e] = e.indexOf("-") < 0 ? e : e.replace(Ge, (e) => e[1].toUpperCase()));
}
function E(e) {
	return T[e] || (T[e] = e.replace(Ke, "-$1").toLowerCase());
}
// node_modules/@polymer/polymer/lib/utils/async.js
var Je = 0, Ye = 0, D = [], Xe = 0, Ze = !1, Qe = document.createTextNode("");
new window.MutationObserver($e).observe(Qe, { characterData: !0 });
function $e() {
	Ze = !1;
	let e = D.length;
	for (let t = 0; t < e; t++) {
		let e = D[t];
		if (e) try {
			e();
		} catch (e) {
			setTimeout(() => {
				throw e;
			});
		}
	}
	D.splice(0, e), Ye += e;
}
for (var et = {
	after(e) {
		return {
			run(t) {
				return window.setTimeout(t, e);
			},
			cancel(e) {
				window.clearTimeout(e);
			}
		};
	},
	run(e, t) {
		return window.setTimeout(e, t);
	},
	cancel(e) {
		window.clearTimeout(e);
	}
}, tt = {
	run(e) {
		return Ze || (Ze = !0, Qe.textContent = Xe++), D.push(e), Je++;
	},
	cancel(e) {
		let t = e - Ye;
		if (t >= 0) {
			if (!D[t]) throw Error("invalid async handle: " + e);
			D[t] = null;
		}
	}
}, nt = tt, rt = _((e) => {
	class t extends e {
		static createProperties(e) {
			let t = this.prototype;
			for (let n in e) n in t || t._createPropertyAccessor(n);
		}
		static attributeNameForProperty(e) {
			return e.toLowerCase();
		}
		static typeForProperty(e) {}
		_createPropertyAccessor(e, t) {
			this._addPropertyToAttributeMap(e), this.hasOwnProperty(JSCompiler_renameProperty("__dataHasAccessor", this)) || (this.__dataHasAccessor = Object.assign({}, this.__dataHasAccessor)), this.__dataHasAccessor[e] || (this.__dataHasAccessor[e] = !0, this._definePropertyAccessor(e, t));
		}
		_addPropertyToAttributeMap(e) {
			this.hasOwnProperty(JSCompiler_renameProperty("__dataAttributes", this)) || (this.__dataAttributes = Object.assign({}, this.__dataAttributes));
			let t = this.__dataAttributes[e];
			return t || (t = this.constructor.attributeNameForProperty(e), this.__dataAttributes[t] = e), t;
		}
		_definePropertyAccessor(e, t) {
			Object.defineProperty(this, e, {
				get() {
					return this.__data[e];
				},
				set: t ? function() {} : function(t) {
					this._setPendingProperty(e, t, !0) && this._invalidateProperties();
				}
			});
		}
		constructor() {
			super(), this.__dataEnabled = !1, this.__dataReady = !1, this.__dataInvalid = !1, this.__data = {}, this.__dataPending = null, this.__dataOld = null, this.__dataInstanceProps = null, this.__dataCounter = 0, this.__serializing = !1, this._initializeProperties();
		}
		ready() {
			this.__dataReady = !0, this._flushProperties();
		}
		_initializeProperties() {
			for (let e in this.__dataHasAccessor) this.hasOwnProperty(e) && (this.__dataInstanceProps = this.__dataInstanceProps || {}, this.__dataInstanceProps[e] = this[e], delete this[e]);
		}
		_initializeInstanceProperties(e) {
			Object.assign(this, e);
		}
		_setProperty(e, t) {
			this._setPendingProperty(e, t) && this._invalidateProperties();
		}
		_getProperty(e) {
			return this.__data[e];
		}
		_setPendingProperty(e, t, n) {
			let r = this.__data[e], i = this._shouldPropertyChange(e, t, r);
			return i && (this.__dataPending || (this.__dataPending = {}, this.__dataOld = {}), this.__dataOld && !(e in this.__dataOld) && (this.__dataOld[e] = r), this.__data[e] = t, this.__dataPending[e] = t), i;
		}
		_isPropertyPending(e) {
			return !!(this.__dataPending && this.__dataPending.hasOwnProperty(e));
		}
		_invalidateProperties() {
			!this.__dataInvalid && this.__dataReady && (this.__dataInvalid = !0, nt.run(() => {
				this.__dataInvalid && (this.__dataInvalid = !1, this._flushProperties());
			}));
		}
		_enableProperties() {
			this.__dataEnabled || (this.__dataEnabled = !0, this.__dataInstanceProps &&= (this._initializeInstanceProperties(this.__dataInstanceProps), null), this.ready());
		}
		_flushProperties() {
			this.__dataCounter++;
			let e = this.__data, t = this.__dataPending, n = this.__dataOld;
			this._shouldPropertiesChange(e, t, n) && (this.__dataPending = null, this.__dataOld = null, this._propertiesChanged(e, t, n)), this.__dataCounter--;
		}
		_shouldPropertiesChange(e, t, n) {
			return !!t;
		}
		_propertiesChanged(e, t, n) {}
		_shouldPropertyChange(e, t, n) {
			return n !== t && (n === n || t === t);
		}
		attributeChangedCallback(e, t, n, r) {
			t !== n && this._attributeToProperty(e, n), super.attributeChangedCallback && super.attributeChangedCallback(e, t, n, r);
		}
		_attributeToProperty(e, t, n) {
			if (!this.__serializing) {
				let r = this.__dataAttributes, i = r && r[e] || e;
				this[i] = this._deserializeValue(t, n || this.constructor.typeForProperty(i));
			}
		}
		_propertyToAttribute(e, t, n) {
			this.__serializing = !0, n = arguments.length < 3 ? this[e] : n, this._valueToNodeAttribute(this, n, t || this.constructor.attributeNameForProperty(e)), this.__serializing = !1;
		}
		_valueToNodeAttribute(e, t, n) {
			let r = this._serializeValue(t);
			(n === "class" || n === "name" || n === "slot") && (e = y(e)), r === void 0 ? e.removeAttribute(n) : e.setAttribute(n, r === "" && window.trustedTypes ? window.trustedTypes.emptyScript : r);
		}
		_serializeValue(e) {
			switch (typeof e) {
				case "boolean": return e ? "" : void 0;
				default: return e?.toString();
			}
		}
		_deserializeValue(e, t) {
			switch (t) {
				case Boolean: return e !== null;
				case Number: return Number(e);
				default: return e;
			}
		}
	}
	return t;
}), it = {}, at = HTMLElement.prototype; at;) {
	let e = Object.getOwnPropertyNames(at);
	for (let t = 0; t < e.length; t++) it[e[t]] = !0;
	at = Object.getPrototypeOf(at);
}
var ot = window.trustedTypes ? (e) => trustedTypes.isHTML(e) || trustedTypes.isScript(e) || trustedTypes.isScriptURL(e) : () => !1;
function st(e, t) {
	if (!it[t]) {
		let n = e[t];
		n !== void 0 && (e.__data ? e._setPendingProperty(t, n) : (e.__dataProto ? e.hasOwnProperty(JSCompiler_renameProperty("__dataProto", e)) || (e.__dataProto = Object.create(e.__dataProto)) : e.__dataProto = {}, e.__dataProto[t] = n));
	}
}
var ct = _((e) => {
	let t = rt(e);
	class n extends t {
		static createPropertiesForAttributes() {
			let e = this.observedAttributes;
			for (let t = 0; t < e.length; t++) this.prototype._createPropertyAccessor(qe(e[t]));
		}
		static attributeNameForProperty(e) {
			return E(e);
		}
		_initializeProperties() {
			this.__dataProto &&= (this._initializeProtoProperties(this.__dataProto), null), super._initializeProperties();
		}
		_initializeProtoProperties(e) {
			for (let t in e) this._setProperty(t, e[t]);
		}
		_ensureAttribute(e, t) {
			let n = this;
			n.hasAttribute(e) || this._valueToNodeAttribute(n, t, e);
		}
		_serializeValue(e) {
			switch (typeof e) {
				case "object":
					if (e instanceof Date) return e.toString();
					if (e) {
						if (ot(e)) return e;
						try {
							return JSON.stringify(e);
						} catch {
							return "";
						}
					}
				default: return super._serializeValue(e);
			}
		}
		_deserializeValue(e, t) {
			let n;
			switch (t) {
				case Object:
					try {
						n = JSON.parse(e);
					} catch {
						n = e;
					}
					break;
				case Array:
					try {
						n = JSON.parse(e);
					} catch {
						n = null, console.warn(`Polymer::Attributes: couldn't decode Array as JSON: ${e}`);
					}
					break;
				case Date:
					n = isNaN(e) ? String(e) : Number(e), n = new Date(n);
					break;
				default: n = super._deserializeValue(e, t);
			}
			return n;
		}
		_definePropertyAccessor(e, t) {
			st(this, e), super._definePropertyAccessor(e, t);
		}
		_hasAccessor(e) {
			return this.__dataHasAccessor && this.__dataHasAccessor[e];
		}
		_isPropertyPending(e) {
			return !!(this.__dataPending && e in this.__dataPending);
		}
	}
	return n;
}), lt = {
	"dom-if": !0,
	"dom-repeat": !0
}, ut = !1, dt = !1;
function ft() {
	if (!ut) {
		ut = !0;
		let e = document.createElement("textarea");
		e.placeholder = "a", dt = e.placeholder === e.textContent;
	}
	return dt;
}
function pt(e) {
	ft() && e.localName === "textarea" && e.placeholder && e.placeholder === e.textContent && (e.textContent = null);
}
var mt = (() => {
	let e = window.trustedTypes && window.trustedTypes.createPolicy("polymer-template-event-attribute-policy", { createScript: (e) => e });
	return (t, n, r) => {
		let i = n.getAttribute(r);
		e && r.startsWith("on-") ? t.setAttribute(r, e.createScript(i, r)) : t.setAttribute(r, i);
	};
})();
function ht(e) {
	let t = e.getAttribute("is");
	if (t && lt[t]) {
		let n = e;
		for (n.removeAttribute("is"), e = n.ownerDocument.createElement(t), n.parentNode.replaceChild(e, n), e.appendChild(n); n.attributes.length;) {
			let { name: t } = n.attributes[0];
			mt(e, n, t), n.removeAttribute(t);
		}
	}
	return e;
}
function gt(e, t) {
	let n = t.parentInfo && gt(e, t.parentInfo);
	if (n) {
		for (let e = n.firstChild, r = 0; e; e = e.nextSibling) if (t.parentIndex === r++) return e;
	} else return e;
}
function _t(e, t, n, r) {
	r.id && (t[r.id] = n);
}
function vt(e, t, n) {
	if (n.events && n.events.length) for (let r = 0, i = n.events, a; r < i.length && (a = i[r]); r++) e._addMethodEventListenerToNode(t, a.name, a.value, e);
}
function yt(e, t, n, r) {
	n.templateInfo && (t._templateInfo = n.templateInfo, t._parentTemplateInfo = r);
}
function bt(e, t, n) {
	return e = e._methodHost || e, function(t) {
		e[n] ? e[n](t, t.detail) : console.warn("listener method `" + n + "` not defined");
	};
}
var xt = _((e) => {
	class t extends e {
		static _parseTemplate(e, t) {
			if (!e._templateInfo) {
				let n = e._templateInfo = {};
				n.nodeInfoList = [], n.nestedTemplate = !!t, n.stripWhiteSpace = t && t.stripWhiteSpace || e.hasAttribute && e.hasAttribute("strip-whitespace"), this._parseTemplateContent(e, n, { parent: null });
			}
			return e._templateInfo;
		}
		static _parseTemplateContent(e, t, n) {
			return this._parseTemplateNode(e.content, t, n);
		}
		static _parseTemplateNode(e, t, n) {
			let r = !1, i = e;
			return i.localName == "template" && !i.hasAttribute("preserve-content") ? r = this._parseTemplateNestedTemplate(i, t, n) || r : i.localName === "slot" && (t.hasInsertionPoint = !0), pt(i), i.firstChild && this._parseTemplateChildNodes(i, t, n), i.hasAttributes && i.hasAttributes() && (r = this._parseTemplateNodeAttributes(i, t, n) || r), r || n.noted;
		}
		static _parseTemplateChildNodes(e, t, n) {
			if (e.localName !== "script" && e.localName !== "style") for (let r = e.firstChild, i = 0, a; r; r = a) {
				if (r.localName == "template" && (r = ht(r)), a = r.nextSibling, r.nodeType === Node.TEXT_NODE) {
					let n = a;
					for (; n && n.nodeType === Node.TEXT_NODE;) r.textContent += n.textContent, a = n.nextSibling, e.removeChild(n), n = a;
					if (t.stripWhiteSpace && !r.textContent.trim()) {
						e.removeChild(r);
						continue;
					}
				}
				let o = {
					parentIndex: i,
					parentInfo: n
				};
				this._parseTemplateNode(r, t, o) && (o.infoIndex = t.nodeInfoList.push(o) - 1), r.parentNode && i++;
			}
		}
		static _parseTemplateNestedTemplate(e, t, n) {
			let r = e, i = this._parseTemplate(r, t);
			return (i.content = r.content.ownerDocument.createDocumentFragment()).appendChild(r.content), n.templateInfo = i, !0;
		}
		static _parseTemplateNodeAttributes(e, t, n) {
			let r = !1, i = Array.from(e.attributes);
			for (let a = i.length - 1, o; o = i[a]; a--) r = this._parseTemplateNodeAttribute(e, t, n, o.name, o.value) || r;
			return r;
		}
		static _parseTemplateNodeAttribute(e, t, n, r, i) {
			return r.slice(0, 3) === "on-" ? (e.removeAttribute(r), n.events = n.events || [], n.events.push({
				name: r.slice(3),
				value: i
			}), !0) : r === "id" && (n.id = i, !0);
		}
		static _contentForTemplate(e) {
			let t = e._templateInfo;
			return t && t.content || e.content;
		}
		_stampTemplate(e, t) {
			e && !e.content && window.HTMLTemplateElement && HTMLTemplateElement.decorate && HTMLTemplateElement.decorate(e), t ||= this.constructor._parseTemplate(e);
			let n = t.nodeInfoList, r = t.content || e.content, i = document.importNode(r, !0);
			i.__noInsertionPoint = !t.hasInsertionPoint;
			let a = i.nodeList = Array(n.length);
			i.$ = {};
			for (let e = 0, r = n.length, o; e < r && (o = n[e]); e++) {
				let n = a[e] = gt(i, o);
				_t(this, i.$, n, o), yt(this, n, o, t), vt(this, n, o);
			}
			return i = i, i;
		}
		_addMethodEventListenerToNode(e, t, n, r) {
			r ||= e;
			let i = bt(r, t, n);
			return this._addEventListenerToNode(e, t, i), i;
		}
		_addEventListenerToNode(e, t, n) {
			e.addEventListener(t, n);
		}
		_removeEventListenerFromNode(e, t, n) {
			e.removeEventListener(t, n);
		}
	}
	return t;
}), O = 0, k = [], A = {
	COMPUTE: "__computeEffects",
	REFLECT: "__reflectEffects",
	NOTIFY: "__notifyEffects",
	PROPAGATE: "__propagateEffects",
	OBSERVE: "__observeEffects",
	READ_ONLY: "__readOnly"
}, St = "__computeInfo", Ct = /[A-Z]/;
function wt(e, t, n) {
	let r = e[t];
	if (!r) r = e[t] = {};
	else if (!e.hasOwnProperty(t) && (r = e[t] = Object.create(e[t]), n)) for (let e in r) {
		let t = r[e], n = r[e] = Array(t.length);
		for (let e = 0; e < t.length; e++) n[e] = t[e];
	}
	return r;
}
function j(e, t, n, r, i, a) {
	if (t) {
		let o = !1, s = O++;
		for (let c in n) {
			let l = t[i ? b(c) : c];
			if (l) for (let t = 0, u = l.length, d; t < u && (d = l[t]); t++) d.info && d.info.lastRun === s || i && !Et(c, d.trigger) || (d.info && (d.info.lastRun = s), d.fn(e, c, n, r, d.info, i, a), o = !0);
		}
		return o;
	}
	return !1;
}
function Tt(e, t, n, r, i, a, o, s) {
	let c = !1, l = t[o ? b(r) : r];
	if (l) for (let t = 0, u = l.length, d; t < u && (d = l[t]); t++) d.info && d.info.lastRun === n || o && !Et(r, d.trigger) || (d.info && (d.info.lastRun = n), d.fn(e, r, i, a, d.info, o, s), c = !0);
	return c;
}
function Et(e, t) {
	if (t) {
		let n = t.name;
		return n == e || !!(t.structured && Ve(n, e)) || !!(t.wildcard && x(n, e));
	}
	return !0;
}
function Dt(e, t, n, r, i) {
	let a = typeof i.method == "string" ? e[i.method] : i.method, o = i.property;
	a ? a.call(e, e.__data[o], r[o]) : i.dynamicFn || console.warn("observer method `" + i.method + "` not defined");
}
function Ot(e, t, n, r, i) {
	let a = e[A.NOTIFY], o, s = O++;
	for (let c in t) t[c] && (a && Tt(e, a, s, c, n, r, i) || i && kt(e, c, n)) && (o = !0);
	let c;
	o && (c = e.__dataHost) && c._invalidateProperties && c._invalidateProperties();
}
function kt(e, t, n) {
	let r = b(t);
	return r !== t && (At(e, E(r) + "-changed", n[t], t), !0);
}
function At(e, t, n, r) {
	let i = {
		value: n,
		queueProperty: !0
	};
	r && (i.path = r), y(e).dispatchEvent(new CustomEvent(t, { detail: i }));
}
function jt(e, t, n, r, i, a) {
	let o = (a ? b(t) : t) == t ? null : t, s = o ? w(e, o) : e.__data[t];
	o && s === void 0 && (s = n[t]), At(e, i.eventName, s, o);
}
function Mt(e, t, n, r, i) {
	let a, o = e.detail, s = o && o.path;
	s ? (r = S(n, r, s), a = o && o.value) : a = e.currentTarget[n], a = i ? !a : a, t[A.READ_ONLY] && t[A.READ_ONLY][r] || !t._setPendingPropertyOrPath(r, a, !0, !!s) || o && o.queueProperty || t._invalidateProperties();
}
function Nt(e, t, n, r, i) {
	let a = e.__data[t];
	fe && (a = fe(a, i.attrName, "attribute", e)), e._propertyToAttribute(t, i.attrName, a);
}
function Pt(e, t, n, r) {
	let i = e[A.COMPUTE];
	if (i) {
		if (ve) {
			O++;
			let a = Lt(e), o = [];
			for (let e in t) It(e, i, o, a, r);
			let s;
			for (; s = o.shift();) zt(e, "", t, n, s) && It(s.methodInfo, i, o, a, r);
			Object.assign(n, e.__dataOld), Object.assign(t, e.__dataPending), e.__dataPending = null;
		} else {
			let a = t;
			for (; j(e, i, a, n, r);) Object.assign(n, e.__dataOld), Object.assign(t, e.__dataPending), a = e.__dataPending, e.__dataPending = null;
		}
	}
}
var Ft = (e, t, n) => {
	let r = 0, i = t.length - 1, a = -1;
	for (; r <= i;) {
		let o = r + i >> 1, s = n.get(t[o].methodInfo) - n.get(e.methodInfo);
		if (s < 0) r = o + 1;
		else if (s > 0) i = o - 1;
		else {
			a = o;
			break;
		}
	}
	a < 0 && (a = i + 1), t.splice(a, 0, e);
}, It = (e, t, n, r, i) => {
	let a = t[i ? b(e) : e];
	if (a) for (let t = 0; t < a.length; t++) {
		let o = a[t];
		o.info.lastRun !== O && (!i || Et(e, o.trigger)) && (o.info.lastRun = O, Ft(o.info, n, r));
	}
};
function Lt(e) {
	let t = e.constructor.__orderedComputedDeps;
	if (!t) {
		t = /* @__PURE__ */ new Map();
		let n = e[A.COMPUTE], { counts: r, ready: i, total: a } = Rt(e), o;
		for (; o = i.shift();) {
			t.set(o, t.size);
			let e = n[o];
			e && e.forEach((e) => {
				let t = e.info.methodInfo;
				--a, --r[t] === 0 && i.push(t);
			});
		}
		a !== 0 && console.warn(`Computed graph for ${e.localName} incomplete; circular?`), e.constructor.__orderedComputedDeps = t;
	}
	return t;
}
function Rt(e) {
	let t = e[St], n = {}, r = e[A.COMPUTE], i = [], a = 0;
	for (let e in t) {
		let r = t[e];
		a += n[e] = r.args.filter((e) => !e.literal).length + +!!r.dynamicFn;
	}
	for (let e in r) t[e] || i.push(e);
	return {
		counts: n,
		ready: i,
		total: a
	};
}
function zt(e, t, n, r, i) {
	let a = Zt(e, t, n, r, i);
	if (a === k) return !1;
	let o = i.methodInfo;
	return e.__dataHasAccessor && e.__dataHasAccessor[o] ? e._setPendingProperty(o, a, !0) : (e[o] = a, !1);
}
function Bt(e, t, n) {
	let r = e.__dataLinkedPaths;
	if (r) {
		let i;
		for (let a in r) {
			let o = r[a];
			x(a, t) ? (i = S(a, o, t), e._setPendingPropertyOrPath(i, n, !0, !0)) : x(o, t) && (i = S(o, a, t), e._setPendingPropertyOrPath(i, n, !0, !0));
		}
	}
}
function Vt(e, t, n, r, i, a, o) {
	n.bindings = n.bindings || [];
	let s = {
		kind: r,
		target: i,
		parts: a,
		literal: o,
		isCompound: a.length !== 1
	};
	if (n.bindings.push(s), Kt(s)) {
		let { event: e, negate: t } = s.parts[0];
		s.listenerEvent = e || E(i) + "-changed", s.listenerNegate = t;
	}
	let c = t.nodeInfoList.length;
	for (let n = 0; n < s.parts.length; n++) {
		let r = s.parts[n];
		r.compoundIndex = n, Ht(e, t, s, r, c);
	}
}
function Ht(e, t, n, r, i) {
	if (!r.literal) {
		if (n.kind === "attribute" && n.target[0] === "-") console.warn("Cannot set attribute " + n.target + " because \"-\" is not a valid attribute starting character");
		else {
			let a = r.dependencies, o = {
				index: i,
				binding: n,
				part: r,
				evaluator: e
			};
			for (let n = 0; n < a.length; n++) {
				let r = a[n];
				typeof r == "string" && (r = rn(r), r.wildcard = !0), e._addTemplatePropertyEffect(t, r.rootProperty, {
					fn: Ut,
					info: o,
					trigger: r
				});
			}
		}
	}
}
function Ut(e, t, n, r, i, a, o) {
	let s = o[i.index], c = i.binding, l = i.part;
	if (a && l.source && t.length > l.source.length && c.kind == "property" && !c.isCompound && s.__isPropertyEffectsClient && s.__dataHasAccessor && s.__dataHasAccessor[c.target]) {
		let r = n[t];
		t = S(l.source, c.target, t), s._setPendingPropertyOrPath(t, r, !1, !0) && e._enqueueClient(s);
	} else {
		let o = i.evaluator._evaluateBinding(e, l, t, n, r, a);
		o !== k && Wt(e, s, c, l, o);
	}
}
function Wt(e, t, n, r, i) {
	if (i = Gt(t, i, n, r), fe && (i = fe(i, n.target, n.kind, t)), n.kind == "attribute") e._valueToNodeAttribute(t, i, n.target);
	else {
		let r = n.target;
		t.__isPropertyEffectsClient && t.__dataHasAccessor && t.__dataHasAccessor[r] ? t[A.READ_ONLY] && t[A.READ_ONLY][r] || !t._setPendingProperty(r, i) || e._enqueueClient(t) : e._setUnmanagedPropertyToNode(t, r, i);
	}
}
function Gt(e, t, n, r) {
	if (n.isCompound) {
		let i = e.__dataCompoundStorage[n.target];
		i[r.compoundIndex] = t, t = i.join("");
	}
	return n.kind !== "attribute" && (n.target === "textContent" || n.target === "value" && (e.localName === "input" || e.localName === "textarea")) && (t ??= ""), t;
}
function Kt(e) {
	return !!e.target && e.kind != "attribute" && e.kind != "text" && !e.isCompound && e.parts[0].mode === "{";
}
function qt(e, t) {
	let { nodeList: n, nodeInfoList: r } = t;
	if (r.length) for (let t = 0; t < r.length; t++) {
		let i = r[t], a = n[t], o = i.bindings;
		if (o) for (let t = 0; t < o.length; t++) {
			let n = o[t];
			Jt(a, n), Yt(a, e, n);
		}
		a.__dataHost = e;
	}
}
function Jt(e, t) {
	if (t.isCompound) {
		let n = e.__dataCompoundStorage || (e.__dataCompoundStorage = {}), r = t.parts, i = Array(r.length);
		for (let e = 0; e < r.length; e++) i[e] = r[e].literal;
		let a = t.target;
		n[a] = i, t.literal && t.kind == "property" && (a === "className" && (e = y(e)), e[a] = t.literal);
	}
}
function Yt(e, t, n) {
	if (n.listenerEvent) {
		let r = n.parts[0];
		e.addEventListener(n.listenerEvent, function(e) {
			Mt(e, t, n.target, r.source, r.negate);
		});
	}
}
function Xt(e, t, n, r, i, a) {
	a = t.static || a && (typeof a != "object" || a[t.methodName]);
	let o = {
		methodName: t.methodName,
		args: t.args,
		methodInfo: i,
		dynamicFn: a
	};
	for (let i = 0, a; i < t.args.length && (a = t.args[i]); i++) a.literal || e._addPropertyEffect(a.rootProperty, n, {
		fn: r,
		info: o,
		trigger: a
	});
	return a && e._addPropertyEffect(t.methodName, n, {
		fn: r,
		info: o
	}), o;
}
function Zt(e, t, n, r, i) {
	let a = e._methodHost || e, o = a[i.methodName];
	if (o) {
		let r = e._marshalArgs(i.args, t, n);
		return r === k ? k : o.apply(a, r);
	}
	i.dynamicFn || console.warn("method `" + i.methodName + "` not defined");
}
var Qt = [], $t = /* @__PURE__ */ RegExp("(\\[\\[|{{)\\s*(?:(!)\\s*)?((?:[a-zA-Z_$][\\w.:$\\-*]*)\\s*(?:\\(\\s*(?:(?:(?:((?:[a-zA-Z_$][\\w.:$\\-*]*)|(?:[-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?)|(?:(?:'(?:[^'\\\\]|\\\\.)*')|(?:\"(?:[^\"\\\\]|\\\\.)*\")))\\s*)(?:,\\s*(?:((?:[a-zA-Z_$][\\w.:$\\-*]*)|(?:[-+]?[0-9]*\\.?[0-9]+(?:[eE][-+]?[0-9]+)?)|(?:(?:'(?:[^'\\\\]|\\\\.)*')|(?:\"(?:[^\"\\\\]|\\\\.)*\")))\\s*))*)?)\\)\\s*)?)(?:]]|}})", "g");
function en(e) {
	let t = "";
	for (let n = 0; n < e.length; n++) {
		let r = e[n].literal;
		t += r || "";
	}
	return t;
}
function tn(e) {
	let t = e.match(/([^\s]+?)\(([\s\S]*)\)/);
	if (t) {
		let e = {
			methodName: t[1],
			static: !0,
			args: Qt
		};
		return t[2].trim() ? nn(t[2].replace(/\\,/g, "&comma;").split(","), e) : e;
	}
	return null;
}
function nn(e, t) {
	return t.args = e.map(function(e) {
		let n = rn(e);
		return n.literal || (t.static = !1), n;
	}, this), t;
}
function rn(e) {
	let t = e.trim().replace(/&comma;/g, ",").replace(/\\(.)/g, "$1"), n = {
		name: t,
		value: "",
		literal: !1
	}, r = t[0];
	switch (r === "-" && (r = t[1]), r >= "0" && r <= "9" && (r = "#"), r) {
		case "'":
		case "\"":
			n.value = t.slice(1, -1), n.literal = !0;
			break;
		case "#": n.value = Number(t), n.literal = !0;
	}
	return n.literal || (n.rootProperty = b(t), n.structured = Be(t), n.structured && (n.wildcard = t.slice(-2) == ".*", n.wildcard && (n.name = t.slice(0, -2)))), n;
}
function an(e, t, n) {
	let r = w(e, n);
	return r === void 0 && (r = t[n]), r;
}
function on(e, t, n, r) {
	let i = { indexSplices: r };
	_e && !e._overrideLegacyUndefined && (t.splices = i), e.notifyPath(n + ".splices", i), e.notifyPath(n + ".length", t.length), _e && !e._overrideLegacyUndefined && (i.indexSplices = []);
}
function M(e, t, n, r, i, a) {
	on(e, t, n, [{
		index: r,
		addedCount: i,
		removed: a,
		object: t,
		type: "splice"
	}]);
}
function sn(e) {
	return e[0].toUpperCase() + e.substring(1);
}
var cn = _((e) => {
	let t = xt(ct(e));
	class n extends t {
		constructor() {
			super(), this.__isPropertyEffectsClient = !0, this.__dataClientsReady, this.__dataPendingClients, this.__dataToNotify, this.__dataLinkedPaths, this.__dataHasPaths, this.__dataCompoundStorage, this.__dataHost, this.__dataTemp, this.__dataClientsInitialized, this.__data, this.__dataPending, this.__dataOld, this.__computeEffects, this.__computeInfo, this.__reflectEffects, this.__notifyEffects, this.__propagateEffects, this.__observeEffects, this.__readOnly, this.__templateInfo, this._overrideLegacyUndefined;
		}
		get PROPERTY_EFFECT_TYPES() {
			return A;
		}
		_initializeProperties() {
			super._initializeProperties(), this._registerHost(), this.__dataClientsReady = !1, this.__dataPendingClients = null, this.__dataToNotify = null, this.__dataLinkedPaths = null, this.__dataHasPaths = !1, this.__dataCompoundStorage = this.__dataCompoundStorage || null, this.__dataHost = this.__dataHost || null, this.__dataTemp = {}, this.__dataClientsInitialized = !1;
		}
		_registerHost() {
			if (N.length) {
				let e = N[N.length - 1];
				e._enqueueClient(this), this.__dataHost = e;
			}
		}
		_initializeProtoProperties(e) {
			this.__data = Object.create(e), this.__dataPending = Object.create(e), this.__dataOld = {};
		}
		_initializeInstanceProperties(e) {
			let t = this[A.READ_ONLY];
			for (let n in e) t && t[n] || (this.__dataPending = this.__dataPending || {}, this.__dataOld = this.__dataOld || {}, this.__data[n] = this.__dataPending[n] = e[n]);
		}
		_addPropertyEffect(e, t, n) {
			this._createPropertyAccessor(e, t == A.READ_ONLY);
			let r = wt(this, t, !0)[e];
			r ||= this[t][e] = [], r.push(n);
		}
		_removePropertyEffect(e, t, n) {
			let r = wt(this, t, !0)[e], i = r.indexOf(n);
			i >= 0 && r.splice(i, 1);
		}
		_hasPropertyEffect(e, t) {
			let n = this[t];
			return !!(n && n[e]);
		}
		_hasReadOnlyEffect(e) {
			return this._hasPropertyEffect(e, A.READ_ONLY);
		}
		_hasNotifyEffect(e) {
			return this._hasPropertyEffect(e, A.NOTIFY);
		}
		_hasReflectEffect(e) {
			return this._hasPropertyEffect(e, A.REFLECT);
		}
		_hasComputedEffect(e) {
			return this._hasPropertyEffect(e, A.COMPUTE);
		}
		_setPendingPropertyOrPath(e, t, n, r) {
			if (r || b(Array.isArray(e) ? e[0] : e) !== e) {
				if (!r) {
					let n = w(this, e);
					if (e = We(this, e, t), !e || !super._shouldPropertyChange(e, t, n)) return !1;
				}
				if (this.__dataHasPaths = !0, this._setPendingProperty(e, t, n)) return Bt(this, e, t), !0;
			} else if (this.__dataHasAccessor && this.__dataHasAccessor[e]) return this._setPendingProperty(e, t, n);
			else this[e] = t;
			return !1;
		}
		_setUnmanagedPropertyToNode(e, t, n) {
			(n !== e[t] || typeof n == "object") && (t === "className" && (e = y(e)), e[t] = n);
		}
		_setPendingProperty(e, t, n) {
			let r = this.__dataHasPaths && Be(e), i = r ? this.__dataTemp : this.__data;
			return this._shouldPropertyChange(e, t, i[e]) ? (this.__dataPending || (this.__dataPending = {}, this.__dataOld = {}), e in this.__dataOld || (this.__dataOld[e] = this.__data[e]), r ? this.__dataTemp[e] = t : this.__data[e] = t, this.__dataPending[e] = t, (r || this[A.NOTIFY] && this[A.NOTIFY][e]) && (this.__dataToNotify = this.__dataToNotify || {}, this.__dataToNotify[e] = n), !0) : !1;
		}
		_setProperty(e, t) {
			this._setPendingProperty(e, t, !0) && this._invalidateProperties();
		}
		_invalidateProperties() {
			this.__dataReady && this._flushProperties();
		}
		_enqueueClient(e) {
			this.__dataPendingClients = this.__dataPendingClients || [], e !== this && this.__dataPendingClients.push(e);
		}
		_flushClients() {
			this.__dataClientsReady ? this.__enableOrFlushClients() : (this.__dataClientsReady = !0, this._readyClients(), this.__dataReady = !0);
		}
		__enableOrFlushClients() {
			let e = this.__dataPendingClients;
			if (e) {
				this.__dataPendingClients = null;
				for (let t = 0; t < e.length; t++) {
					let n = e[t];
					n.__dataEnabled ? n.__dataPending && n._flushProperties() : n._enableProperties();
				}
			}
		}
		_readyClients() {
			this.__enableOrFlushClients();
		}
		setProperties(e, t) {
			for (let n in e) !t && this[A.READ_ONLY] && this[A.READ_ONLY][n] || this._setPendingPropertyOrPath(n, e[n], !0);
			this._invalidateProperties();
		}
		ready() {
			this._flushProperties(), this.__dataClientsReady || this._flushClients(), this.__dataPending && this._flushProperties();
		}
		_propertiesChanged(e, t, n) {
			let r = this.__dataHasPaths;
			this.__dataHasPaths = !1;
			let i;
			Pt(this, t, n, r), i = this.__dataToNotify, this.__dataToNotify = null, this._propagatePropertyChanges(t, n, r), this._flushClients(), j(this, this[A.REFLECT], t, n, r), j(this, this[A.OBSERVE], t, n, r), i && Ot(this, i, t, n, r), this.__dataCounter == 1 && (this.__dataTemp = {});
		}
		_propagatePropertyChanges(e, t, n) {
			this[A.PROPAGATE] && j(this, this[A.PROPAGATE], e, t, n), this.__templateInfo && this._runEffectsForTemplate(this.__templateInfo, e, t, n);
		}
		_runEffectsForTemplate(e, t, n, r) {
			let i = (t, r) => {
				j(this, e.propertyEffects, t, n, r, e.nodeList);
				for (let i = e.firstChild; i; i = i.nextSibling) this._runEffectsForTemplate(i, t, n, r);
			};
			e.runEffects ? e.runEffects(i, t, r) : i(t, r);
		}
		linkPaths(e, t) {
			e = C(e), t = C(t), this.__dataLinkedPaths = this.__dataLinkedPaths || {}, this.__dataLinkedPaths[e] = t;
		}
		unlinkPaths(e) {
			e = C(e), this.__dataLinkedPaths && delete this.__dataLinkedPaths[e];
		}
		notifySplices(e, t) {
			let n = { path: "" }, r = w(this, e, n);
			on(this, r, n.path, t);
		}
		get(e, t) {
			return w(t || this, e);
		}
		set(e, t, n) {
			n ? We(n, e, t) : this[A.READ_ONLY] && this[A.READ_ONLY][e] || !this._setPendingPropertyOrPath(e, t, !0) || this._invalidateProperties();
		}
		push(e, ...t) {
			let n = { path: "" }, r = w(this, e, n), i = r.length, a = r.push(...t);
			return t.length && M(this, r, n.path, i, t.length, []), a;
		}
		pop(e) {
			let t = { path: "" }, n = w(this, e, t), r = !!n.length, i = n.pop();
			return r && M(this, n, t.path, n.length, 0, [i]), i;
		}
		splice(e, t, n, ...r) {
			let i = { path: "" }, a = w(this, e, i);
			t < 0 ? t = a.length - Math.floor(-t) : t &&= Math.floor(t);
			let o;
			return o = arguments.length === 2 ? a.splice(t) : a.splice(t, n, ...r), (r.length || o.length) && M(this, a, i.path, t, r.length, o), o;
		}
		shift(e) {
			let t = { path: "" }, n = w(this, e, t), r = !!n.length, i = n.shift();
			return r && M(this, n, t.path, 0, 0, [i]), i;
		}
		unshift(e, ...t) {
			let n = { path: "" }, r = w(this, e, n), i = r.unshift(...t);
			return t.length && M(this, r, n.path, 0, t.length, []), i;
		}
		notifyPath(e, t) {
			let n;
			if (arguments.length == 1) {
				let r = { path: "" };
				t = w(this, e, r), n = r.path;
			} else n = Array.isArray(e) ? C(e) : e;
			this._setPendingPropertyOrPath(n, t, !0, !0) && this._invalidateProperties();
		}
		_createReadOnlyProperty(e, t) {
			this._addPropertyEffect(e, A.READ_ONLY), t && (this["_set" + sn(e)] = function(t) {
				this._setProperty(e, t);
			});
		}
		_createPropertyObserver(e, t, n) {
			let r = {
				property: e,
				method: t,
				dynamicFn: !!n
			};
			this._addPropertyEffect(e, A.OBSERVE, {
				fn: Dt,
				info: r,
				trigger: { name: e }
			}), n && this._addPropertyEffect(t, A.OBSERVE, {
				fn: Dt,
				info: r,
				trigger: { name: t }
			});
		}
		_createMethodObserver(e, t) {
			let n = tn(e);
			if (!n) throw Error("Malformed observer expression '" + e + "'");
			Xt(this, n, A.OBSERVE, Zt, null, t);
		}
		_createNotifyingProperty(e) {
			this._addPropertyEffect(e, A.NOTIFY, {
				fn: jt,
				info: {
					eventName: E(e) + "-changed",
					property: e
				}
			});
		}
		_createReflectedProperty(e) {
			let t = this.constructor.attributeNameForProperty(e);
			t[0] === "-" ? console.warn("Property " + e + " cannot be reflected to attribute " + t + " because \"-\" is not a valid starting attribute name. Use a lowercase first letter for the property instead.") : this._addPropertyEffect(e, A.REFLECT, {
				fn: Nt,
				info: { attrName: t }
			});
		}
		_createComputedProperty(e, t, n) {
			let r = tn(t);
			if (!r) throw Error("Malformed computed expression '" + t + "'");
			let i = Xt(this, r, A.COMPUTE, zt, e, n);
			wt(this, St)[e] = i;
		}
		_marshalArgs(e, t, n) {
			let r = this.__data, i = [];
			for (let a = 0, o = e.length; a < o; a++) {
				let { name: o, structured: s, wildcard: c, value: l, literal: u } = e[a];
				if (!u) {
					if (c) {
						let e = x(o, t), i = an(r, n, e ? t : o);
						l = {
							path: e ? t : o,
							value: i,
							base: e ? w(r, o) : i
						};
					} else l = s ? an(r, n, o) : r[o];
				}
				if (_e && !this._overrideLegacyUndefined && l === void 0 && e.length > 1) return k;
				i[a] = l;
			}
			return i;
		}
		static addPropertyEffect(e, t, n) {
			this.prototype._addPropertyEffect(e, t, n);
		}
		static createPropertyObserver(e, t, n) {
			this.prototype._createPropertyObserver(e, t, n);
		}
		static createMethodObserver(e, t) {
			this.prototype._createMethodObserver(e, t);
		}
		static createNotifyingProperty(e) {
			this.prototype._createNotifyingProperty(e);
		}
		static createReadOnlyProperty(e, t) {
			this.prototype._createReadOnlyProperty(e, t);
		}
		static createReflectedProperty(e) {
			this.prototype._createReflectedProperty(e);
		}
		static createComputedProperty(e, t, n) {
			this.prototype._createComputedProperty(e, t, n);
		}
		static bindTemplate(e) {
			return this.prototype._bindTemplate(e);
		}
		_bindTemplate(e, t) {
			let n = this.constructor._parseTemplate(e), r = this.__preBoundTemplateInfo == n;
			if (!r) for (let e in n.propertyEffects) this._createPropertyAccessor(e);
			if (t) {
				if (n = Object.create(n), n.wasPreBound = r, !this.__templateInfo) this.__templateInfo = n;
				else {
					let t = e._parentTemplateInfo || this.__templateInfo, r = t.lastChild;
					n.parent = t, t.lastChild = n, n.previousSibling = r, r ? r.nextSibling = n : t.firstChild = n;
				}
			} else this.__preBoundTemplateInfo = n;
			return n;
		}
		static _addTemplatePropertyEffect(e, t, n) {
			let r = e.hostProps = e.hostProps || {};
			r[t] = !0;
			let i = e.propertyEffects = e.propertyEffects || {};
			(i[t] = i[t] || []).push(n);
		}
		_stampTemplate(e, t) {
			t ||= this._bindTemplate(e, !0), N.push(this);
			let n = super._stampTemplate(e, t);
			if (N.pop(), t.nodeList = n.nodeList, !t.wasPreBound) {
				let e = t.childNodes = [];
				for (let t = n.firstChild; t; t = t.nextSibling) e.push(t);
			}
			return n.templateInfo = t, qt(this, t), this.__dataClientsReady && (this._runEffectsForTemplate(t, this.__data, null, !1), this._flushClients()), n;
		}
		_removeBoundDom(e) {
			let t = e.templateInfo, { previousSibling: n, nextSibling: r, parent: i } = t;
			n ? n.nextSibling = r : i && (i.firstChild = r), r ? r.previousSibling = n : i && (i.lastChild = n), t.nextSibling = t.previousSibling = null;
			let a = t.childNodes;
			for (let e = 0; e < a.length; e++) {
				let t = a[e];
				y(y(t).parentNode).removeChild(t);
			}
		}
		static _parseTemplateNode(e, n, r) {
			let i = t._parseTemplateNode.call(this, e, n, r);
			if (e.nodeType === Node.TEXT_NODE) {
				let t = this._parseBindings(e.textContent, n);
				t && (e.textContent = en(t) || " ", Vt(this, n, r, "text", "textContent", t), i = !0);
			}
			return i;
		}
		static _parseTemplateNodeAttribute(e, n, r, i, a) {
			let o = this._parseBindings(a, n);
			if (o) {
				let t = i, a = "property";
				Ct.test(i) ? a = "attribute" : i[i.length - 1] == "$" && (i = i.slice(0, -1), a = "attribute");
				let s = en(o);
				return s && a == "attribute" && (i == "class" && e.hasAttribute("class") && (s += " " + e.getAttribute(i)), e.setAttribute(i, s)), a == "attribute" && t == "disable-upgrade$" && e.setAttribute(i, ""), e.localName === "input" && t === "value" && e.setAttribute(t, ""), e.removeAttribute(t), a === "property" && (i = qe(i)), Vt(this, n, r, a, i, o, s), !0;
			}
			return t._parseTemplateNodeAttribute.call(this, e, n, r, i, a);
		}
		static _parseTemplateNestedTemplate(e, n, r) {
			let i = t._parseTemplateNestedTemplate.call(this, e, n, r), a = e.parentNode, o = r.templateInfo, s = a.localName === "dom-if", c = a.localName === "dom-repeat";
			ye && (s || c) && (a.removeChild(e), r = r.parentInfo, r.templateInfo = o, r.noted = !0, i = !1);
			let l = o.hostProps;
			if (be && s) l && (n.hostProps = Object.assign(n.hostProps || {}, l), ye || (r.parentInfo.noted = !0));
			else for (let e in l) {
				let t = [{
					mode: "{",
					source: e,
					dependencies: [e],
					hostProp: !0
				}];
				Vt(this, n, r, "property", "_host_" + e, t);
			}
			return i;
		}
		static _parseBindings(e, t) {
			let n = [], r = 0, i;
			for (; (i = $t.exec(e)) !== null;) {
				i.index > r && n.push({ literal: e.slice(r, i.index) });
				let a = i[1][0], o = !!i[2], s = i[3].trim(), c = !1, l = "", u = -1;
				a == "{" && (u = s.indexOf("::")) > 0 && (l = s.substring(u + 2), s = s.substring(0, u), c = !0);
				let d = tn(s), f = [];
				if (d) {
					let { args: e, methodName: n } = d;
					for (let t = 0; t < e.length; t++) {
						let n = e[t];
						n.literal || f.push(n);
					}
					let r = t.dynamicFns;
					(r && r[n] || d.static) && (f.push(n), d.dynamicFn = !0);
				} else f.push(s);
				n.push({
					source: s,
					mode: a,
					negate: o,
					customEvent: c,
					signature: d,
					dependencies: f,
					event: l
				}), r = $t.lastIndex;
			}
			if (r && r < e.length) {
				let t = e.substring(r);
				t && n.push({ literal: t });
			}
			return n.length ? n : null;
		}
		static _evaluateBinding(e, t, n, r, i, a) {
			let o;
			return o = t.signature ? Zt(e, n, r, i, t.signature) : n == t.source ? a && Be(n) ? w(e, n) : e.__data[n] : w(e, t.source), t.negate && (o = !o), o;
		}
	}
	return n;
}), N = [], ln = 0;
function un() {
	ln++;
}
var dn = [];
function fn(e) {
	dn.push(e);
}
// node_modules/@polymer/polymer/lib/mixins/properties-mixin.js
function pn(e) {
	let t = {};
	for (let n in e) {
		let r = e[n];
		t[n] = typeof r == "function" ? { type: r } : r;
	}
	return t;
}
var mn = _((e) => {
	let t = rt(e);
	function n(e) {
		let t = Object.getPrototypeOf(e);
		return t.prototype instanceof i ? t : null;
	}
	function r(e) {
		if (!e.hasOwnProperty(JSCompiler_renameProperty("__ownProperties", e))) {
			let t = null;
			if (e.hasOwnProperty(JSCompiler_renameProperty("properties", e))) {
				let n = e.properties;
				n && (t = pn(n));
			}
			e.__ownProperties = t;
		}
		return e.__ownProperties;
	}
	class i extends t {
		static get observedAttributes() {
			if (!this.hasOwnProperty(JSCompiler_renameProperty("__observedAttributes", this))) {
				fn(this.prototype);
				let e = this._properties;
				this.__observedAttributes = e ? Object.keys(e).map((e) => this.prototype._addPropertyToAttributeMap(e)) : [];
			}
			return this.__observedAttributes;
		}
		static finalize() {
			if (!this.hasOwnProperty(JSCompiler_renameProperty("__finalized", this))) {
				let e = n(this);
				e && e.finalize(), this.__finalized = !0, this._finalizeClass();
			}
		}
		static _finalizeClass() {
			let e = r(this);
			e && this.createProperties(e);
		}
		static get _properties() {
			if (!this.hasOwnProperty(JSCompiler_renameProperty("__properties", this))) {
				let e = n(this);
				this.__properties = Object.assign({}, e && e._properties, r(this));
			}
			return this.__properties;
		}
		static typeForProperty(e) {
			let t = this._properties[e];
			return t && t.type;
		}
		_initializeProperties() {
			un(), this.constructor.finalize(), super._initializeProperties();
		}
		connectedCallback() {
			super.connectedCallback && super.connectedCallback(), this._enableProperties();
		}
		disconnectedCallback() {
			super.disconnectedCallback && super.disconnectedCallback();
		}
	}
	return i;
}), hn = "3.5.2", gn = window.ShadyCSS && window.ShadyCSS.cssBuild, _n = _((e) => {
	let t = mn(cn(e));
	function n(e) {
		if (!e.hasOwnProperty(JSCompiler_renameProperty("__propertyDefaults", e))) {
			e.__propertyDefaults = null;
			let t = e._properties;
			for (let n in t) {
				let r = t[n];
				"value" in r && (e.__propertyDefaults = e.__propertyDefaults || {}, e.__propertyDefaults[n] = r);
			}
		}
		return e.__propertyDefaults;
	}
	function r(e) {
		return e.hasOwnProperty(JSCompiler_renameProperty("__ownObservers", e)) || (e.__ownObservers = e.hasOwnProperty(JSCompiler_renameProperty("observers", e)) ? e.observers : null), e.__ownObservers;
	}
	function i(e, t, n, r) {
		n.computed && (n.readOnly = !0), n.computed && (e._hasReadOnlyEffect(t) ? console.warn(`Cannot redefine computed property '${t}'.`) : e._createComputedProperty(t, n.computed, r)), n.readOnly && !e._hasReadOnlyEffect(t) ? e._createReadOnlyProperty(t, !n.computed) : n.readOnly === !1 && e._hasReadOnlyEffect(t) && console.warn(`Cannot make readOnly property '${t}' non-readOnly.`), n.reflectToAttribute && !e._hasReflectEffect(t) ? e._createReflectedProperty(t) : n.reflectToAttribute === !1 && e._hasReflectEffect(t) && console.warn(`Cannot make reflected property '${t}' non-reflected.`), n.notify && !e._hasNotifyEffect(t) ? e._createNotifyingProperty(t) : n.notify === !1 && e._hasNotifyEffect(t) && console.warn(`Cannot make notify property '${t}' non-notify.`), n.observer && e._createPropertyObserver(t, n.observer, r[n.observer]), e._addPropertyToAttributeMap(t);
	}
	function a(e, t, n, r) {
		if (!gn) {
			let i = t.content.querySelectorAll("style"), a = Le(t), o = Re(n), s = t.content.firstElementChild;
			for (let n = 0; n < o.length; n++) {
				let i = o[n];
				i.textContent = e._processStyleText(i.textContent, r), t.content.insertBefore(i, s);
			}
			let c = 0;
			for (let t = 0; t < a.length; t++) {
				let n = a[t], o = i[c];
				o === n ? c++ : (n = n.cloneNode(!0), o.parentNode.insertBefore(n, o)), n.textContent = e._processStyleText(n.textContent, r);
			}
		}
		if (window.ShadyCSS && window.ShadyCSS.prepareTemplate(t, n), Se && gn && ue) {
			let n = t.content.querySelectorAll("style");
			if (n) {
				let t = "";
				Array.from(n).forEach((e) => {
					t += e.textContent, e.parentNode.removeChild(e);
				}), e._styleSheet = new CSSStyleSheet(), e._styleSheet.replaceSync(t);
			}
		}
	}
	function o(e) {
		let t = null;
		if (e && (!g || pe) && (t = v.import(e, "template"), g && !t)) throw Error(`strictTemplatePolicy: expecting dom-module or null template for ${e}`);
		return t;
	}
	class s extends t {
		static get polymerElementVersion() {
			return hn;
		}
		static _finalizeClass() {
			t._finalizeClass.call(this);
			let e = r(this);
			e && this.createObservers(e, this._properties), this._prepareTemplate();
		}
		static _prepareTemplate() {
			let e = this.template;
			e && (typeof e == "string" ? (console.error("template getter must return HTMLTemplateElement"), e = null) : me || (e = e.cloneNode(!0))), this.prototype._template = e;
		}
		static createProperties(e) {
			for (let t in e) i(this.prototype, t, e[t], e);
		}
		static createObservers(e, t) {
			let n = this.prototype;
			for (let r = 0; r < e.length; r++) n._createMethodObserver(e[r], t);
		}
		static get template() {
			if (!this.hasOwnProperty(JSCompiler_renameProperty("_template", this))) {
				let e = this.prototype.hasOwnProperty(JSCompiler_renameProperty("_template", this.prototype)) ? this.prototype._template : void 0;
				typeof e == "function" && (e = e()), this._template = e === void 0 ? this.hasOwnProperty(JSCompiler_renameProperty("is", this)) && o(this.is) || Object.getPrototypeOf(this.prototype).constructor.template : e;
			}
			return this._template;
		}
		static set template(e) {
			this._template = e;
		}
		static get importPath() {
			if (!this.hasOwnProperty(JSCompiler_renameProperty("_importPath", this))) {
				let e = this.importMeta;
				if (e) this._importPath = ce(e.url);
				else {
					let e = v.import(this.is);
					this._importPath = e && e.assetpath || Object.getPrototypeOf(this.prototype).constructor.importPath;
				}
			}
			return this._importPath;
		}
		constructor() {
			super(), this._template, this._importPath, this.rootPath, this.importPath, this.root, this.$;
		}
		_initializeProperties() {
			this.constructor.finalize(), this.constructor._finalizeTemplate(this.localName), super._initializeProperties(), this.rootPath = de, this.importPath = this.constructor.importPath;
			let e = n(this.constructor);
			if (e) for (let t in e) {
				let n = e[t];
				if (this._canApplyPropertyDefault(t)) {
					let e = typeof n.value == "function" ? n.value.call(this) : n.value;
					this._hasAccessor(t) ? this._setPendingProperty(t, e, !0) : this[t] = e;
				}
			}
		}
		_canApplyPropertyDefault(e) {
			return !this.hasOwnProperty(e);
		}
		static _processStyleText(e, t) {
			return se(e, t);
		}
		static _finalizeTemplate(e) {
			let t = this.prototype._template;
			if (t && !t.__polymerFinalized) {
				t.__polymerFinalized = !0;
				let n = this.importPath, r = n ? h(n) : "";
				a(this, t, e, r), this.prototype._bindTemplate(t);
			}
		}
		connectedCallback() {
			window.ShadyCSS && this._template && window.ShadyCSS.styleElement(this), super.connectedCallback();
		}
		ready() {
			this._template && (this.root = this._stampTemplate(this._template), this.$ = this.root.$), super.ready();
		}
		_readyClients() {
			this._template && (this.root = this._attachDom(this.root)), super._readyClients();
		}
		_attachDom(e) {
			let t = y(this);
			if (t.attachShadow) return e ? (t.shadowRoot || (t.attachShadow({
				mode: "open",
				shadyUpgradeFragment: e
			}), t.shadowRoot.appendChild(e), this.constructor._styleSheet && (t.shadowRoot.adoptedStyleSheets = [this.constructor._styleSheet])), ge && window.ShadyDOM && window.ShadyDOM.flushInitial(t.shadowRoot), t.shadowRoot) : null;
			throw Error("ShadowDOM not available. PolymerElement can create dom as children instead of in ShadowDOM by setting `this.root = this;` before `ready`.");
		}
		updateStyles(e) {
			window.ShadyCSS && window.ShadyCSS.styleSubtree(this, e);
		}
		resolveUrl(e, t) {
			return !t && this.importPath && (t = h(this.importPath)), h(e, t);
		}
		static _parseTemplateContent(e, n, r) {
			return n.dynamicFns = n.dynamicFns || this._properties, t._parseTemplateContent.call(this, e, n, r);
		}
		static _addTemplatePropertyEffect(e, n, r) {
			return !he || n in this._properties || r.info.part.signature && r.info.part.signature.static || r.info.part.hostProp || e.nestedTemplate || console.warn(`Property '${n}' used in template but not declared in 'properties'; attribute will not be observed.`), t._addTemplatePropertyEffect.call(this, e, n, r);
		}
	}
	return s;
}), vn = window.trustedTypes && trustedTypes.createPolicy("polymer-html-literal", { createHTML: (e) => e }), yn = class {
	constructor(e, t) {
		Sn(e, t);
		let n = t.reduce((t, n, r) => t + bn(n) + e[r + 1], e[0]);
		this.value = n.toString();
	}
	toString() {
		return this.value;
	}
};
function bn(e) {
	if (e instanceof yn) return e.value;
	throw Error(`non-literal value passed to Polymer's htmlLiteral function: ${e}`);
}
function xn(e) {
	if (e instanceof HTMLTemplateElement) return e.innerHTML;
	if (e instanceof yn) return bn(e);
	throw Error(`non-template value passed to Polymer's html function: ${e}`);
}
var P = function(e, ...t) {
	Sn(e, t);
	let n = document.createElement("template"), r = t.reduce((t, n, r) => t + xn(n) + e[r + 1], e[0]);
	return vn && (r = vn.createHTML(r)), n.innerHTML = r, n;
}, Sn = (e, t) => {
	if (!Array.isArray(e) || !Array.isArray(e.raw) || t.length !== e.length - 1) throw TypeError("Invalid call to the html template tag");
}, F = _n(HTMLElement), Cn = class e {
	constructor() {
		this._asyncModule = null, this._callback = null, this._timer = null;
	}
	setConfig(e, t) {
		this._asyncModule = e, this._callback = t, this._timer = this._asyncModule.run(() => {
			this._timer = null, I.delete(this), this._callback();
		});
	}
	cancel() {
		this.isActive() && (this._cancelAsync(), I.delete(this));
	}
	_cancelAsync() {
		this.isActive() && (this._asyncModule.cancel(this._timer), this._timer = null);
	}
	flush() {
		this.isActive() && (this.cancel(), this._callback());
	}
	isActive() {
		return this._timer != null;
	}
	static debounce(t, n, r) {
		return t instanceof e ? t._cancelAsync() : t = new e(), t.setConfig(n, r), t;
	}
}, I = /* @__PURE__ */ new Set(), wn = function(e) {
	I.add(e);
}, Tn = function() {
	let e = !!I.size;
	return I.forEach((e) => {
		try {
			e.flush();
		} catch (e) {
			setTimeout(() => {
				throw e;
			});
		}
	}), e;
}, En = function() {
	let e, t;
	do
		e = window.ShadyDOM && ShadyDOM.flush(), window.ShadyCSS && window.ShadyCSS.ScopingShim && window.ShadyCSS.ScopingShim.flush(), t = Tn();
	while (e || t);
}, Dn = !1;
function On() {
	if (me && !le) {
		if (!Dn) {
			Dn = !0;
			let e = document.createElement("style");
			e.textContent = "dom-bind,dom-if,dom-repeat{display:none;}", document.head.appendChild(e);
		}
		return !0;
	}
	return !1;
}
// node_modules/@polymer/polymer/lib/mixins/mutable-data.js
function kn(e, t, n, r, i) {
	let a;
	i && (a = typeof n == "object" && !!n, a && (r = e.__dataTemp[t]));
	let o = r !== n && (r === r || n === n);
	return a && o && (e.__dataTemp[t] = n), o;
}
var An = _((e) => {
	class t extends e {
		_shouldPropertyChange(e, t, n) {
			return kn(this, e, t, n, !0);
		}
	}
	return t;
}), jn = _((e) => {
	class t extends e {
		static get properties() {
			return { mutableData: Boolean };
		}
		_shouldPropertyChange(e, t, n) {
			return kn(this, e, t, n, this.mutableData);
		}
	}
	return t;
});
An._mutablePropertyChange = kn;
// node_modules/@polymer/polymer/lib/utils/templatize.js
var Mn = null;
function Nn() {
	return Mn;
}
Nn.prototype = Object.create(HTMLTemplateElement.prototype, { constructor: {
	value: Nn,
	writable: !0
} });
var Pn = cn(Nn), Fn = An(Pn);
function In(e, t) {
	Mn = e, Object.setPrototypeOf(e, t.prototype), new t(), Mn = null;
}
var Ln = cn(class {});
function Rn(e, t) {
	for (let n = 0; n < t.length; n++) {
		let r = t[n];
		if (!!e != !!r.__hideTemplateChildren__) {
			if (r.nodeType === Node.TEXT_NODE) e ? (r.__polymerTextContent__ = r.textContent, r.textContent = "") : r.textContent = r.__polymerTextContent__;
			else if (r.localName === "slot") {
				if (e) r.__polymerReplaced__ = document.createComment("hidden-slot"), y(y(r).parentNode).replaceChild(r.__polymerReplaced__, r);
				else {
					let e = r.__polymerReplaced__;
					e && y(y(e).parentNode).replaceChild(r, e);
				}
			} else r.style && (e ? (r.__polymerDisplay__ = r.style.display, r.style.display = "none") : r.style.display = r.__polymerDisplay__);
		}
		r.__hideTemplateChildren__ = e, r._showHideChildren && r._showHideChildren(e);
	}
}
var L = class extends Ln {
	constructor(e) {
		super(), this._configureProperties(e), this.root = this._stampTemplate(this.__dataHost);
		let t = [];
		this.children = t;
		for (let e = this.root.firstChild; e; e = e.nextSibling) t.push(e), e.__templatizeInstance = this;
		this.__templatizeOwner && this.__templatizeOwner.__hideTemplateChildren__ && this._showHideChildren(!0);
		let n = this.__templatizeOptions;
		(e && n.instanceProps || !n.instanceProps) && this._enableProperties();
	}
	_configureProperties(e) {
		if (this.__templatizeOptions.forwardHostProp) for (let e in this.__hostProps) this._setPendingProperty(e, this.__dataHost["_host_" + e]);
		for (let t in e) this._setPendingProperty(t, e[t]);
	}
	forwardHostProp(e, t) {
		this._setPendingPropertyOrPath(e, t, !1, !0) && this.__dataHost._enqueueClient(this);
	}
	_addEventListenerToNode(e, t, n) {
		if (this._methodHost && this.__templatizeOptions.parentModel) this._methodHost._addEventListenerToNode(e, t, (e) => {
			e.model = this, n(e);
		});
		else {
			let r = this.__dataHost.__dataHost;
			r && r._addEventListenerToNode(e, t, n);
		}
	}
	_showHideChildren(e) {
		Rn(e, this.children);
	}
	_setUnmanagedPropertyToNode(e, t, n) {
		e.__hideTemplateChildren__ && e.nodeType == Node.TEXT_NODE && t == "textContent" ? e.__polymerTextContent__ = n : super._setUnmanagedPropertyToNode(e, t, n);
	}
	get parentModel() {
		let e = this.__parentModel;
		if (!e) {
			let t;
			e = this;
			do
				e = e.__dataHost.__dataHost;
			while ((t = e.__templatizeOptions) && !t.parentModel);
			this.__parentModel = e;
		}
		return e;
	}
	dispatchEvent(e) {
		return !0;
	}
};
L.prototype.__dataHost, L.prototype.__templatizeOptions, L.prototype._methodHost, L.prototype.__templatizeOwner, L.prototype.__hostProps;
var zn = An(L);
function Bn(e) {
	let t = e.__dataHost;
	return t && t._methodHost || t;
}
function Vn(e, t, n) {
	let r = n.mutableData ? zn : L;
	R.mixin && (r = R.mixin(r));
	let i = class extends r {};
	return i.prototype.__templatizeOptions = n, i.prototype._bindTemplate(e), Wn(i, e, t, n), i;
}
function Hn(e, t, n, r) {
	let i = n.forwardHostProp;
	if (i && t.hasHostProps) {
		let a = e.localName == "template", o = t.templatizeTemplateClass;
		if (!o) {
			if (a) {
				let e = n.mutableData ? Fn : Pn;
				class r extends e {}
				o = t.templatizeTemplateClass = r;
			} else {
				let n = e.constructor;
				class r extends n {}
				o = t.templatizeTemplateClass = r;
			}
			let s = t.hostProps;
			for (let e in s) o.prototype._addPropertyEffect("_host_" + e, o.prototype.PROPERTY_EFFECT_TYPES.PROPAGATE, { fn: Un(e, i) }), o.prototype._createNotifyingProperty("_host_" + e);
			he && r && qn(t, n, r);
		}
		if (e.__dataProto && Object.assign(e.__data, e.__dataProto), a) In(e, o), e.__dataTemp = {}, e.__dataPending = null, e.__dataOld = null, e._enableProperties();
		else {
			Object.setPrototypeOf(e, o.prototype);
			let n = t.hostProps;
			for (let t in n) if (t = "_host_" + t, t in e) {
				let n = e[t];
				delete e[t], e.__data[t] = n;
			}
		}
	}
}
function Un(e, t) {
	return function(e, n, r) {
		t.call(e.__templatizeOwner, n.substring(6), r[n]);
	};
}
function Wn(e, t, n, r) {
	let i = n.hostProps || {};
	for (let t in r.instanceProps) {
		delete i[t];
		let n = r.notifyInstanceProp;
		n && e.prototype._addPropertyEffect(t, e.prototype.PROPERTY_EFFECT_TYPES.NOTIFY, { fn: Gn(t, n) });
	}
	if (r.forwardHostProp && t.__dataHost) for (let t in i) n.hasHostProps ||= !0, e.prototype._addPropertyEffect(t, e.prototype.PROPERTY_EFFECT_TYPES.NOTIFY, { fn: Kn() });
}
function Gn(e, t) {
	return function(e, n, r) {
		t.call(e.__templatizeOwner, e, n, r[n]);
	};
}
function Kn() {
	return function(e, t, n) {
		e.__dataHost._setPendingPropertyOrPath("_host_" + t, n[t], !0, !0);
	};
}
function R(e, t, n) {
	if (g && !Bn(e)) throw Error("strictTemplatePolicy: template owner not trusted");
	if (n ||= {}, e.__templatizeOwner) throw Error("A <template> can only be templatized once");
	e.__templatizeOwner = t;
	let r = (t ? t.constructor : L)._parseTemplate(e), i = r.templatizeInstanceClass;
	i || (i = Vn(e, r, n), r.templatizeInstanceClass = i);
	let a = Bn(e);
	Hn(e, r, n, a);
	let o = class extends i {};
	return o.prototype._methodHost = a, o.prototype.__dataHost = e, o.prototype.__templatizeOwner = t, o.prototype.__hostProps = r.hostProps, o = o, o;
}
function qn(e, t, n) {
	let r = n.constructor._properties, { propertyEffects: i } = e, { instanceProps: a } = t;
	for (let e in i) if (!r[e] && !(a && a[e])) {
		let t = i[e];
		for (let n = 0; n < t.length; n++) {
			let { part: r } = t[n].info;
			if (!(r.signature && r.signature.static)) {
				console.warn(`Property '${e}' used in template but not declared in 'properties'; attribute will not be observed.`);
				break;
			}
		}
	}
}
function Jn(e, t) {
	let n;
	for (; t;) if (n = t.__dataHost ? t : t.__templatizeInstance) {
		if (n.__dataHost != e) t = n.__dataHost;
		else return n;
	} else t = y(t).parentNode;
	return null;
}
// node_modules/@polymer/polymer/lib/elements/dom-if.js
var Yn = class extends F {
	static get is() {
		return "dom-if";
	}
	static get template() {
		return null;
	}
	static get properties() {
		return {
			if: {
				type: Boolean,
				observer: "__debounceRender"
			},
			restamp: {
				type: Boolean,
				observer: "__debounceRender"
			},
			notifyDomChange: { type: Boolean }
		};
	}
	constructor() {
		super(), this.__renderDebouncer = null, this._lastIf = !1, this.__hideTemplateChildren__ = !1, this.__template, this._templateInfo;
	}
	__debounceRender() {
		this.__renderDebouncer = Cn.debounce(this.__renderDebouncer, tt, () => this.__render()), wn(this.__renderDebouncer);
	}
	disconnectedCallback() {
		super.disconnectedCallback();
		let e = y(this).parentNode;
		(!e || e.nodeType == Node.DOCUMENT_FRAGMENT_NODE && !y(e).host) && this.__teardownInstance();
	}
	connectedCallback() {
		super.connectedCallback(), On() || (this.style.display = "none"), this.if && this.__debounceRender();
	}
	__ensureTemplate() {
		if (!this.__template) {
			let e = this, t = e._templateInfo ? e : y(e).querySelector("template");
			if (!t) {
				let e = new MutationObserver(() => {
					if (y(this).querySelector("template")) e.disconnect(), this.__render();
					else throw Error("dom-if requires a <template> child");
				});
				return e.observe(this, { childList: !0 }), !1;
			}
			this.__template = t;
		}
		return !0;
	}
	__ensureInstance() {
		let e = y(this).parentNode;
		if (this.__hasInstance()) {
			let t = this.__getInstanceNodes();
			if (t && t.length && y(this).previousSibling !== t[t.length - 1]) for (let n = 0, r; n < t.length && (r = t[n]); n++) y(e).insertBefore(r, this);
		} else {
			if (!e || !this.__ensureTemplate()) return !1;
			this.__createAndInsertInstance(e);
		}
		return !0;
	}
	render() {
		En();
	}
	__render() {
		if (this.if) {
			if (!this.__ensureInstance()) return;
		} else this.restamp && this.__teardownInstance();
		this._showHideChildren(), (!xe || this.notifyDomChange) && this.if != this._lastIf && (this.dispatchEvent(new CustomEvent("dom-change", {
			bubbles: !0,
			composed: !0
		})), this._lastIf = this.if);
	}
	__hasInstance() {}
	__getInstanceNodes() {}
	__createAndInsertInstance(e) {}
	__teardownInstance() {}
	_showHideChildren() {}
}, Xn = be ? class extends Yn {
	constructor() {
		super(), this.__instance = null, this.__syncInfo = null;
	}
	__hasInstance() {
		return !!this.__instance;
	}
	__getInstanceNodes() {
		return this.__instance.templateInfo.childNodes;
	}
	__createAndInsertInstance(e) {
		let t = this.__dataHost || this;
		if (g && !this.__dataHost) throw Error("strictTemplatePolicy: template owner not trusted");
		let n = t._bindTemplate(this.__template, !0);
		n.runEffects = (e, t, n) => {
			let r = this.__syncInfo;
			if (this.if) r && (this.__syncInfo = null, this._showHideChildren(), t = Object.assign(r.changedProps, t)), e(t, n);
			else if (this.__instance) {
				if (r ||= this.__syncInfo = {
					runEffects: e,
					changedProps: {}
				}, n) for (let e in t) {
					let t = b(e);
					r.changedProps[t] = this.__dataHost[t];
				}
				else Object.assign(r.changedProps, t);
			}
		}, this.__instance = t._stampTemplate(this.__template, n), y(e).insertBefore(this.__instance, this);
	}
	__syncHostProperties() {
		let e = this.__syncInfo;
		e && (this.__syncInfo = null, e.runEffects(e.changedProps, !1));
	}
	__teardownInstance() {
		let e = this.__dataHost || this;
		this.__instance && (e._removeBoundDom(this.__instance), this.__instance = null, this.__syncInfo = null);
	}
	_showHideChildren() {
		let e = this.__hideTemplateChildren__ || !this.if;
		this.__instance && !!this.__instance.__hidden !== e && (this.__instance.__hidden = e, Rn(e, this.__instance.templateInfo.childNodes)), e || this.__syncHostProperties();
	}
} : class extends Yn {
	constructor() {
		super(), this.__ctor = null, this.__instance = null, this.__invalidProps = null;
	}
	__hasInstance() {
		return !!this.__instance;
	}
	__getInstanceNodes() {
		return this.__instance.children;
	}
	__createAndInsertInstance(e) {
		this.__ctor ||= R(this.__template, this, {
			mutableData: !0,
			forwardHostProp: function(e, t) {
				this.__instance && (this.if ? this.__instance.forwardHostProp(e, t) : (this.__invalidProps = this.__invalidProps || Object.create(null), this.__invalidProps[b(e)] = !0));
			}
		}), this.__instance = new this.__ctor(), y(e).insertBefore(this.__instance.root, this);
	}
	__teardownInstance() {
		if (this.__instance) {
			let e = this.__instance.children;
			if (e && e.length) {
				let t = y(e[0]).parentNode;
				if (t) {
					t = y(t);
					for (let n = 0, r; n < e.length && (r = e[n]); n++) t.removeChild(r);
				}
			}
			this.__invalidProps = null, this.__instance = null;
		}
	}
	__syncHostProperties() {
		let e = this.__invalidProps;
		if (e) {
			this.__invalidProps = null;
			for (let t in e) this.__instance._setPendingProperty(t, this.__dataHost[t]);
			this.__instance._flushProperties();
		}
	}
	_showHideChildren() {
		let e = this.__hideTemplateChildren__ || !this.if;
		this.__instance && !!this.__instance.__hidden !== e && (this.__instance.__hidden = e, this.__instance._showHideChildren(e)), e || this.__syncHostProperties();
	}
};
customElements.define(Xn.is, Xn);
// src/address.ts
var Zn = "diagnostics", z = {
	run: null,
	finding: null,
	parameters: null,
	bandwidth: null
}, B = `p.${Zn}.`;
function Qn(e) {
	try {
		return decodeURIComponent(e);
	} catch {
		return e;
	}
}
function $n(e) {
	let t = Number(e);
	return e !== void 0 && Number.isFinite(t) && t > 0 ? t : null;
}
function er(e) {
	let t = /* @__PURE__ */ new Map();
	for (let n of e.replace(/^#/, "").split("&")) {
		let e = n.indexOf("=");
		n.startsWith(B) && e > 0 && t.set(n.slice(B.length, e), Qn(n.slice(e + 1)));
	}
	return {
		run: t.get("run") || null,
		finding: t.get("finding") || null,
		parameters: $n(t.get("parameters")),
		bandwidth: $n(t.get("bandwidth"))
	};
}
function tr(e) {
	let t = e.replace(/^#/, "").split("&")[0] ?? "";
	return t === "" || t === "diagnostics" || t.includes("=");
}
function nr(e, t) {
	let n = e.replace(/^#/, "").split("&").filter((e) => e !== "" && e !== "diagnostics" && !e.startsWith(B)), r = Object.entries(t).filter(([, e]) => e !== null).map(([e, t]) => `${B}${e}=${encodeURIComponent(String(t))}`);
	return `#${[
		Zn,
		...n,
		...r
	].join("&")}`;
}
// src/theme.ts
var rr = "\n:root {\n  color-scheme: light;\n  --ink: #202124; --ink-2: #5f6368; --line: #e3e6ea; --control-line: #8a9096; --ground: #f6f7f9;\n  --panel: #fff; --page: #fff; --accent: #1967d2; --on-accent: #fff;\n  --critical: #b3261e; --critical-ground: #fdecea;\n  --warning: #8f4e00; --warning-ground: #fff4e0;\n  --info: #1967d2; --info-ground: #e8f0fe;\n  --good: #2f7d5b;\n  --account-compute: #2f7d5b; --account-transfer: #7b61c9; --account-wait: #c3b4ef;\n  --account-copy: #2e86c1; --account-input: #d9622b; --account-launch: #e0a100;\n  --account-compile: #8d6e63; --account-host-op: #b8a23a; --account-sync: #4f9aa8;\n  --account-between: #b5533c; --account-stagger: #e8a0bf; --account-unknown: #c8ccd2;\n  --hatch: rgb(32 33 36 / 34%);\n}\n:root[data-theme='dark'] {\n  color-scheme: dark;\n  --ink: #e8eaed; --ink-2: #a8adb3; --line: #3c4043; --control-line: #80868b; --ground: #26282b;\n  --panel: #292a2d; --page: #202124; --accent: #8ab4f8; --on-accent: #202124;\n  --critical: #f28b82; --critical-ground: #3b2321;\n  --warning: #fdd663; --warning-ground: #37301f;\n  --info: #8ab4f8; --info-ground: #1f2b3d;\n  --good: #81c995;\n  --account-compute: #5fb58e; --account-transfer: #a78bfa; --account-wait: #5d4e8c;\n  --account-copy: #64b5e8; --account-input: #ef8a57; --account-launch: #f2c94c;\n  --account-compile: #a1887f; --account-host-op: #cdbb5a; --account-sync: #6fb7c4;\n  --account-between: #e08a73; --account-stagger: #c96f97; --account-unknown: #5f6368;\n  --hatch: rgb(32 33 36 / 55%);\n}\nhtml { background: var(--page); overflow-y: scroll; }\nbody { margin: 0; }\n", V = P`
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
    .scroll { overflow-x: auto; }
    .unseen { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }
  </style>
`, ir = jn(F), ar = class extends ir {
	static get is() {
		return "dom-repeat";
	}
	static get template() {
		return null;
	}
	static get properties() {
		return {
			items: { type: Array },
			as: {
				type: String,
				value: "item"
			},
			indexAs: {
				type: String,
				value: "index"
			},
			itemsIndexAs: {
				type: String,
				value: "itemsIndex"
			},
			sort: {
				type: Function,
				observer: "__sortChanged"
			},
			filter: {
				type: Function,
				observer: "__filterChanged"
			},
			observe: {
				type: String,
				observer: "__observeChanged"
			},
			delay: Number,
			renderedItemCount: {
				type: Number,
				notify: !xe,
				readOnly: !0
			},
			initialCount: { type: Number },
			targetFramerate: {
				type: Number,
				value: 20
			},
			_targetFrameTime: {
				type: Number,
				computed: "__computeFrameTime(targetFramerate)"
			},
			notifyDomChange: { type: Boolean },
			reuseChunkedInstances: { type: Boolean }
		};
	}
	static get observers() {
		return ["__itemsChanged(items.*)"];
	}
	constructor() {
		super(), this.__instances = [], this.__renderDebouncer = null, this.__itemsIdxToInstIdx = {}, this.__chunkCount = null, this.__renderStartTime = null, this.__itemsArrayChanged = !1, this.__shouldMeasureChunk = !1, this.__shouldContinueChunking = !1, this.__chunkingId = 0, this.__sortFn = null, this.__filterFn = null, this.__observePaths = null, this.__ctor = null, this.__isDetached = !0, this.template = null, this._templateInfo;
	}
	disconnectedCallback() {
		super.disconnectedCallback(), this.__isDetached = !0;
		for (let e = 0; e < this.__instances.length; e++) this.__detachInstance(e);
		this.__chunkingId && cancelAnimationFrame(this.__chunkingId);
	}
	connectedCallback() {
		if (super.connectedCallback(), On() || (this.style.display = "none"), this.__isDetached) {
			this.__isDetached = !1;
			let e = y(y(this).parentNode);
			for (let t = 0; t < this.__instances.length; t++) this.__attachInstance(t, e);
			this.__chunkingId && this.__render();
		}
	}
	__ensureTemplatized() {
		if (!this.__ctor) {
			let e = this, t = this.template = e._templateInfo ? e : this.querySelector("template");
			if (!t) {
				let e = new MutationObserver(() => {
					if (this.querySelector("template")) e.disconnect(), this.__render();
					else throw Error("dom-repeat requires a <template> child");
				});
				return e.observe(this, { childList: !0 }), !1;
			}
			let n = {};
			n[this.as] = !0, n[this.indexAs] = !0, n[this.itemsIndexAs] = !0, this.__ctor = R(t, this, {
				mutableData: this.mutableData,
				parentModel: !0,
				instanceProps: n,
				forwardHostProp: function(e, t) {
					let n = this.__instances;
					for (let r = 0, i; r < n.length && (i = n[r]); r++) i.forwardHostProp(e, t);
				},
				notifyInstanceProp: function(e, t, n) {
					if (He(this.as, t)) {
						let r = e[this.itemsIndexAs];
						t == this.as && (this.items[r] = n);
						let i = S(this.as, `${JSCompiler_renameProperty("items", this)}.${r}`, t);
						this.notifyPath(i, n);
					}
				}
			});
		}
		return !0;
	}
	__getMethodHost() {
		return this.__dataHost._methodHost || this.__dataHost;
	}
	__functionFromPropertyValue(e) {
		if (typeof e == "string") {
			let t = e, n = this.__getMethodHost();
			return function() {
				return n[t].apply(n, arguments);
			};
		}
		return e;
	}
	__sortChanged(e) {
		this.__sortFn = this.__functionFromPropertyValue(e), this.items && this.__debounceRender(this.__render);
	}
	__filterChanged(e) {
		this.__filterFn = this.__functionFromPropertyValue(e), this.items && this.__debounceRender(this.__render);
	}
	__computeFrameTime(e) {
		return Math.ceil(1e3 / e);
	}
	__observeChanged() {
		this.__observePaths = this.observe && this.observe.replace(".*", ".").split(" ");
	}
	__handleObservedPaths(e) {
		if (this.__sortFn || this.__filterFn) {
			if (!e) this.__debounceRender(this.__render, this.delay);
			else if (this.__observePaths) {
				let t = this.__observePaths;
				for (let n = 0; n < t.length; n++) e.indexOf(t[n]) === 0 && this.__debounceRender(this.__render, this.delay);
			}
		}
	}
	__itemsChanged(e) {
		this.items && !Array.isArray(this.items) && console.warn("dom-repeat expected array for `items`, found", this.items), this.__handleItemPath(e.path, e.value) || (e.path === "items" && (this.__itemsArrayChanged = !0), this.__debounceRender(this.__render));
	}
	__debounceRender(e, t = 0) {
		this.__renderDebouncer = Cn.debounce(this.__renderDebouncer, t > 0 ? et.after(t) : tt, e.bind(this)), wn(this.__renderDebouncer);
	}
	render() {
		this.__debounceRender(this.__render), En();
	}
	__render() {
		if (!this.__ensureTemplatized()) return;
		let e = this.items || [], t = this.__sortAndFilterItems(e), n = this.__calculateLimit(t.length);
		this.__updateInstances(e, n, t), this.initialCount && (this.__shouldMeasureChunk || this.__shouldContinueChunking) && (cancelAnimationFrame(this.__chunkingId), this.__chunkingId = requestAnimationFrame(() => {
			this.__chunkingId = null, this.__continueChunking();
		})), this._setRenderedItemCount(this.__instances.length), (!xe || this.notifyDomChange) && this.dispatchEvent(new CustomEvent("dom-change", {
			bubbles: !0,
			composed: !0
		}));
	}
	__sortAndFilterItems(e) {
		let t = Array(e.length);
		for (let n = 0; n < e.length; n++) t[n] = n;
		return this.__filterFn && (t = t.filter((t, n, r) => this.__filterFn(e[t], n, r))), this.__sortFn && t.sort((t, n) => this.__sortFn(e[t], e[n])), t;
	}
	__calculateLimit(e) {
		let t = e, n = this.__instances.length;
		if (this.initialCount) {
			let r;
			!this.__chunkCount || this.__itemsArrayChanged && !this.reuseChunkedInstances ? (t = Math.min(e, this.initialCount), r = Math.max(t - n, 0), this.__chunkCount = r || 1) : (r = Math.min(Math.max(e - n, 0), this.__chunkCount), t = Math.min(n + r, e)), this.__shouldMeasureChunk = r === this.__chunkCount, this.__shouldContinueChunking = t < e, this.__renderStartTime = performance.now();
		}
		return this.__itemsArrayChanged = !1, t;
	}
	__continueChunking() {
		if (this.__shouldMeasureChunk) {
			let e = performance.now() - this.__renderStartTime, t = this._targetFrameTime / e;
			this.__chunkCount = Math.round(this.__chunkCount * t) || 1;
		}
		this.__shouldContinueChunking && this.__debounceRender(this.__render);
	}
	__updateInstances(e, t, n) {
		let r = this.__itemsIdxToInstIdx = {}, i = 0;
		for (; i < t; i++) {
			let t = this.__instances[i], a = n[i], o = e[a];
			r[a] = i, t ? (t._setPendingProperty(this.as, o), t._setPendingProperty(this.indexAs, i), t._setPendingProperty(this.itemsIndexAs, a), t._flushProperties()) : this.__insertInstance(o, i, a);
		}
		for (let e = this.__instances.length - 1; e >= i; e--) this.__detachAndRemoveInstance(e);
	}
	__detachInstance(e) {
		let t = this.__instances[e], n = y(t.root);
		for (let e = 0; e < t.children.length; e++) {
			let r = t.children[e];
			n.appendChild(r);
		}
		return t;
	}
	__attachInstance(e, t) {
		let n = this.__instances[e];
		t.insertBefore(n.root, this);
	}
	__detachAndRemoveInstance(e) {
		this.__detachInstance(e), this.__instances.splice(e, 1);
	}
	__stampInstance(e, t, n) {
		let r = {};
		return r[this.as] = e, r[this.indexAs] = t, r[this.itemsIndexAs] = n, new this.__ctor(r);
	}
	__insertInstance(e, t, n) {
		let r = this.__stampInstance(e, t, n), i = this.__instances[t + 1], a = i ? i.children[0] : this;
		return y(y(this).parentNode).insertBefore(r.root, a), this.__instances[t] = r, r;
	}
	_showHideChildren(e) {
		for (let t = 0; t < this.__instances.length; t++) this.__instances[t]._showHideChildren(e);
	}
	__handleItemPath(e, t) {
		let n = e.slice(6), r = n.indexOf("."), i = r < 0 ? n : n.substring(0, r);
		if (i == parseInt(i, 10)) {
			let e = r < 0 ? "" : n.substring(r + 1);
			this.__handleObservedPaths(e);
			let a = this.__itemsIdxToInstIdx[i], o = this.__instances[a];
			if (o) {
				let n = this.as + (e ? "." + e : "");
				o._setPendingPropertyOrPath(n, t, !1, !0), o._flushProperties();
			}
			return !0;
		}
	}
	itemForElement(e) {
		let t = this.modelForElement(e);
		return t && t[this.as];
	}
	indexForElement(e) {
		let t = this.modelForElement(e);
		return t && t[this.indexAs];
	}
	modelForElement(e) {
		return Jn(this.template, e);
	}
};
customElements.define(ar.is, ar);
// src/format.ts
var H = "\xA0", or = [
	[
		"s",
		1e9,
		1e9
	],
	[
		"ms",
		1e6,
		1e5
	],
	[
		"µs",
		1e3,
		1e3
	]
], sr = [
	["T", 0xe8d4a51000],
	["G", 1e9],
	["M", 1e6],
	["k", 1e3]
];
function U(e) {
	let t = Math.abs(e);
	return t === 0 ? "0" : t >= 999.5 ? Math.round(e).toLocaleString("en-US") : t >= 99.95 ? e.toFixed(0) : t >= .95 ? e.toFixed(1) : Number(e.toPrecision(2)).toString();
}
function cr(e) {
	let t = Number(e.toPrecision(2));
	return Math.abs(t) >= 1 && Math.abs(t) < 10 ? t.toFixed(1) : String(t);
}
function lr(e, t) {
	if (e === 0) return `0${H}ms`;
	for (let [n, r, i] of or) if (Math.abs(e) >= i * .9995) return `${t(e / r)}${H}${n}`;
	return `${Math.round(e)}${H}ns`;
}
function W(e) {
	return lr(e, U);
}
function ur(e) {
	return `${e.toLocaleString("en-US", {
		minimumFractionDigits: 1,
		maximumFractionDigits: 1
	})}${H}ms`;
}
function dr(e, t) {
	return `${ur(e).slice(0, -3)}–${ur(t)}`;
}
function G(e) {
	return e > 0 && e < .005 ? `<1${H}%` : e < 1 - 1e-9 && e >= .995 ? `>99${H}%` : `${Math.round(e * 100)}${H}%`;
}
function fr(e) {
	for (let [t, n] of sr) if (Math.abs(e) >= n * .9995) return `${U(e / n)}${H}${t === "k" ? "kB" : `${t}B`}`;
	return `${Math.round(e)}${H}B`;
}
function K(e) {
	return Number.isInteger(e) ? e.toLocaleString("en-US") : U(e);
}
function pr(e) {
	for (let [t, n] of sr) if (e >= n * .9995) return `${U(e / n)}${H}${t === "G" ? "billion" : t}`;
	return K(e);
}
function mr(e, t) {
	if (typeof e == "string") return e;
	switch (t) {
		case "ns": return W(e);
		case "ratio": return G(e);
		case "count": return K(e);
		case "bytes": return fr(e);
		case "GB/s": return `${U(e)}${H}GB/s`;
		case "per_step": return `${K(e)} per step`;
		case "times": return `${U(e)}${H}×`;
		case "text": return String(e);
	}
}
function hr(e) {
	return e.threshold === null ? "" : `threshold ${mr(e.threshold, e.unit)}`;
}
function gr(e) {
	let t = lr(e.ns, cr);
	return e.bound ? `up to ${t}` : `about ${t}`;
}
function q(e, t, n = `${t}s`) {
	return `${K(e)} ${e === 1 ? t : n}`;
}
function J(e) {
	return /^GPU:\d+$/.test(e) ? e.replace(":", " ") : e;
}
function _r(e) {
	return e.split(/(\d[\d.,]*[\s\u00a0\u202f]?(?:ns|µs|ms|s|%|GB\/s|GB)(?![\w]))/).map((e, t) => ({
		text: e,
		strong: t % 2 == 1
	})).filter((e) => e.text !== "");
}
function vr(e) {
	let t = /* @__PURE__ */ new Map();
	for (let n of e) t.set(n || "GPU", (t.get(n || "GPU") ?? 0) + 1);
	return [...t].map(([e, t]) => `${t}${H}×${H}${e}`).join(", ");
}
// src/elements/base.ts
function Y(e, t, n = null) {
	e.dispatchEvent(new CustomEvent(t, {
		bubbles: !0,
		composed: !0,
		detail: n
	}));
}
// src/elements/allreduce.ts
var yr = class extends F {
	static get is() {
		return "tfperf-allreduce";
	}
	static get template() {
		return P`
      ${V}
      <style>
        :host { display: block; }
        .panel { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; display: grid; gap: 16px 32px; grid-template-columns: minmax(220px, 300px) minmax(0, 1fr); margin-top: 8px; padding: 14px 18px; }
        label { display: block; font-size: 13px; }
        label + label { margin-top: 12px; }
        input { background: var(--page); border: 1px solid var(--control-line); border-radius: 6px; display: block; padding: 5px 8px; width: 100%; }
        @media (max-width: 699px) { .panel { grid-template-columns: minmax(0, 1fr); } }
      </style>
      <h2>AllReduce <small>[[subtitle(allreduce)]]</small></h2>
      <div class="panel">
        <div>
          <label>Parameters of the model
            <input id="parameters" type="number" min="1" max="1e15" step="1" value$="[[allreduce.parameters]]" on-change="onTyped">
            <span class="note">[[parametersNote(allreduce)]]</span>
          </label>
          <label>Bandwidth, GB/s
            <input id="bandwidth" type="number" min="0.001" max="1e6" step="any" value$="[[allreduce.bandwidth_gbps]]" on-change="onTyped">
            <span class="note">[[allreduce.bandwidth_source]]; type to change</span>
          </label>
        </div>
        <table>
          <thead class="unseen"><tr><th>What</th><th>Value</th><th>Note</th></tr></thead>
          <tbody>
            <template is="dom-repeat" items="[[lines(allreduce)]]">
              <tr><td>[[item.words]]</td><td class="number">[[item.value]]</td><td class="note">[[item.note]]</td></tr>
            </template>
          </tbody>
        </table>
      </div>
    `;
	}
	static get properties() {
		return { allreduce: Object };
	}
	subtitle(e) {
		return e ? `${K(e.participants)} GPUs, ${K(e.calls_per_step)} calls per step` : "";
	}
	parametersNote(e) {
		if (!e) return "";
		let t = {
			given: "as given",
			recorded: "recorded in the profile",
			estimated: "estimated from the bytes reduced",
			unknown: "not recorded"
		}[e.parameters_source];
		return `${e.parameters === null ? "" : `${pr(e.parameters)}, `}${t}; type to change`;
	}
	lines(e) {
		if (!e) return [];
		let t = (e, t, n = "") => ({
			words: e,
			value: t === null ? "not known" : W(t),
			note: n
		});
		return [
			t("Estimate of the guide", e.guide_ns, "parameters × 4 bytes / bandwidth"),
			t("Ring bound", e.ring_bound_ns, "no ring can be faster"),
			t("Achievable", e.achievable_ns, "what this link reaches in practice"),
			t("Measured, waiting included", e.measured_ns, "per step"),
			t("Measured transfer", e.transfer_ns, e.busbw_gbps === null ? "" : `bus bandwidth ${mr(e.busbw_gbps, "GB/s")}`),
			t("Measured waiting", e.wait_ns, "until the last GPU arrives"),
			t("Exposed", e.exposed_ns, "not hidden under compute"),
			t("Hidden", e.hidden_ns, "under compute: costs nothing"),
			{
				words: "Bytes per step",
				value: e.bytes_per_step === null ? "not known" : fr(e.bytes_per_step),
				note: e.bytes_source
			}
		];
	}
	onTyped(e) {
		let t = e.target;
		t.reportValidity() && Y(this, "assume", { [t.id]: t.value === "" ? null : t.valueAsNumber });
	}
};
customElements.define(yr.is, yr);
// src/elements/bar.ts
var br = class extends F {
	static get is() {
		return "tfperf-bar";
	}
	static get template() {
		return P`
      ${V}
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
    `;
	}
	static get properties() {
		return {
			runs: {
				type: Array,
				value: () => []
			},
			run: {
				type: String,
				value: null
			},
			report: {
				type: Object,
				value: null
			},
			about: {
				type: String,
				computed: "aboutOf(report)"
			}
		};
	}
	names(e, t) {
		let n = e.map(({ name: e }) => e);
		return t === null || n.includes(t) ? n : [t, ...n];
	}
	isRun(e, t) {
		return e === t;
	}
	aboutOf(e) {
		if (!e) return "";
		let { steps: t, devices: n, hosts: r, timing: i } = e, a = i.reduce((e, { ns: t }) => e + t, 0);
		return [
			q(t.count, "step"),
			n.length > 0 ? vr(n.map(({ name: e }) => e)) : "no GPU",
			r.length === 1 ? `host ${r[0]}` : q(r.length, "host"),
			a > 0 ? `analysed in ${W(a)}` : ""
		].filter(Boolean).join(" · ");
	}
	onChange(e) {
		Y(this, "run-change", { run: e.target.value });
	}
};
customElements.define(br.is, br);
// src/elements/failure.ts
var xr = {
	not_found: "This run is not there",
	bad_request: "This cannot be asked",
	unreadable: "This profile cannot be read",
	not_judgeable: "This profile cannot be judged",
	internal: "The analysis failed",
	unreachable: "No answer"
}, Sr = {
	not_found: "Choose another run above, or look again if it has just been written.",
	bad_request: "Try again without what was typed in or held by the address.",
	unreadable: "If it is still being written, try again when that is done. Other runs stay usable.",
	not_judgeable: "Record it again with GPU and host tracing on, or choose another run above.",
	internal: "Other runs stay usable. The log of TensorBoard holds the details; please report them.",
	unreachable: "Start TensorBoard again, then try once more."
}, Cr = class extends F {
	static get is() {
		return "tfperf-failure";
	}
	static get template() {
		return P`
      ${V}
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
    `;
	}
	static get properties() {
		return { error: Object };
	}
	heading(e) {
		return xr[e.kind];
	}
	advice(e) {
		return Sr[e.kind];
	}
	onRetry() {
		Y(this, "retry");
	}
};
customElements.define(Cr.is, Cr);
// src/elements/checks.ts
var wr = class extends F {
	static get is() {
		return "tfperf-checks";
	}
	static get template() {
		return P`
      ${V}
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
                <h3 class="name">[[item.title]]</h3>
                <p class="reason">[[item.reason]]</p>
                <p class="note reason" hidden$="[[!item.how]]">[[item.how]]</p>
              </li>
            </template>
          </ul>
        </template>
      </div>
    `;
	}
	static get properties() {
		return {
			report: {
				type: Object,
				observer: "onReport"
			},
			groups: Array,
			open: {
				type: Object,
				value: null
			}
		};
	}
	onReport(e) {
		let t = e.anomalies.map((e) => ({
			id: e.name,
			title: `${e.name} (${K(e.count)})`,
			reason: e.sentence,
			how: e.severity === "data_loss" ? "Part of the recorded data could not be used." : ""
		})), n = [
			[
				"errors",
				"failed while checking",
				e.errors
			],
			[
				"passed",
				"passed",
				e.passed
			],
			[
				"missing_data",
				"could not be checked, and how to",
				e.missing_data
			],
			[
				"not_applicable",
				"do not apply",
				e.not_applicable
			],
			[
				"manual",
				"to check by hand",
				e.manual
			],
			[
				"anomalies",
				"oddities in the file",
				t
			]
		];
		this.groups = n.filter(([, , e]) => e.length > 0).map(([e, t, n]) => ({
			id: e,
			words: t,
			rows: n,
			count: K(n.length)
		})), this.open = this.groups.find(({ id: e }) => e === this.open?.id) ?? null;
	}
	onOpen(e) {
		this.open = this.open === e.model.item ? null : e.model.item;
	}
	isOpen(e, t) {
		return String(e === t);
	}
};
customElements.define(wr.is, wr);
// node_modules/@polymer/polymer/lib/utils/render-status.js
var Tr = !1, Er = [], Dr = [];
function Or() {
	Tr = !0, requestAnimationFrame(function() {
		Tr = !1, kr(Er), setTimeout(function() {
			Ar(Dr);
		});
	});
}
function kr(e) {
	for (; e.length;) jr(e.shift());
}
function Ar(e) {
	for (let t = 0, n = e.length; t < n; t++) jr(e.shift());
}
function jr(e) {
	let t = e[0], n = e[1], r = e[2];
	try {
		n.apply(t, r);
	} catch (e) {
		setTimeout(() => {
			throw e;
		});
	}
}
function Mr(e, t, n) {
	Tr || Or(), Dr.push([
		e,
		t,
		n
	]);
}
// src/elements/evidence.ts
var Nr = class extends F {
	static get is() {
		return "tfperf-evidence";
	}
	static get template() {
		return P`
      ${V}
      <style>
        :host { display: block; }
        td { overflow-wrap: anywhere; }
        td:first-child::first-letter { text-transform: uppercase; }
        td.number { overflow-wrap: normal; }
        td.words { text-align: right; }
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
    `;
	}
	static get properties() {
		return { items: Array };
	}
	value(e) {
		return mr(e.value, e.unit);
	}
	valueClass(e) {
		return this.value(e).length > 24 ? "words" : "number";
	}
	against(e) {
		return hr(e);
	}
};
customElements.define(Nr.is, Nr);
// src/elements/code.ts
var Pr = class extends F {
	static get is() {
		return "tfperf-code";
	}
	static get template() {
		return P`
      ${V}
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
    `;
	}
	static get properties() {
		return {
			code: {
				type: String,
				observer: "onCode"
			},
			framework: String,
			done: {
				type: String,
				value: "Copy"
			},
			said: {
				type: String,
				value: ""
			}
		};
	}
	onCode() {
		this.done = "Copy", this.said = "";
	}
	async onCopy() {
		try {
			await navigator.clipboard.writeText(this.code), this.done = "Copied";
		} catch {
			let e = this.shadowRoot?.querySelector("#code");
			e && window.getSelection()?.selectAllChildren(e), this.done = "Selected: press Ctrl+C";
		}
		this.said = this.done;
	}
};
customElements.define(Pr.is, Pr);
// src/elements/fix.ts
var Fr = class extends F {
	static get is() {
		return "tfperf-fix";
	}
	static get template() {
		return P`
      ${V}
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
        <template is="dom-repeat" items="[[read(fix, guide)]]">
          <li>
            <template is="dom-if" if="[[item.href]]">
              <a href$="[[item.href]]" target="_blank" rel="noopener">[[item.title]]</a>
            </template>
            <template is="dom-if" if="[[!item.href]]">[[item.title]]</template>
          </li>
        </template>
      </ul>
    `;
	}
	static get properties() {
		return {
			fix: {
				type: Object,
				observer: "onFix"
			},
			guide: Object,
			snippet: {
				type: Object,
				value: null
			}
		};
	}
	onFix(e) {
		this.snippet = e?.snippets[0] ?? null;
	}
	onChoose(e) {
		this.snippet = e.model.item;
	}
	alone(e) {
		return (e?.snippets.length ?? 0) < 2;
	}
	isChosen(e, t) {
		return String(e === t);
	}
	read(e, t) {
		if (!e || !t) return [];
		let n = e.links.map(({ title: e, url: t }) => ({
			title: e,
			href: f(t)
		}));
		return t.section && n.unshift({
			title: `Guide: ${t.section}`,
			href: f(t.url)
		}), n;
	}
};
customElements.define(Fr.is, Fr);
// src/elements/places.ts
var Ir = class extends F {
	static get is() {
		return "tfperf-places";
	}
	static get template() {
		return P`
      ${V}
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
    `;
	}
	static get properties() {
		return {
			run: String,
			places: Array,
			access: Object,
			shown: {
				type: Boolean,
				value: !1
			},
			place: Object,
			linked: {
				type: Boolean,
				computed: "canLink(access, place)"
			},
			refusal: {
				type: String,
				computed: "why(access, place)"
			},
			viewer: {
				type: String,
				computed: "viewerOf(run, place)"
			},
			profileHref: {
				type: String,
				computed: "profileOf(run, place)"
			}
		};
	}
	static get observers() {
		return ["onPlaces(places)"];
	}
	onPlaces(e) {
		e[0] && (this.place = e[0]);
	}
	onChoose(e) {
		this.place = e.model.item, this.shown && this.announce(!0);
	}
	onShow() {
		this.announce(!this.shown);
	}
	onProfile(e) {
		e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0 || Y(this, "open-profile-tab", {
			target: Lr(this.run, this.place),
			click: e
		});
	}
	canLink(e, t) {
		return t !== void 0 && e?.state === "ready" && e.hosts.includes(t.host);
	}
	why(e, t) {
		if (!t) return "";
		switch (e?.state) {
			case void 0: return "";
			case "no_plugin": return "The trace viewer is not there: TensorBoard’s profile plugin is missing (pip install xprof).";
			case "no_run": return "The trace viewer does not list this run.";
			case "ready": return e.hosts.includes(t.host) ? "" : "The trace viewer does not list this host.";
		}
	}
	viewerOf(e, t) {
		return t === void 0 ? "" : l(document.baseURI, Lr(e, t));
	}
	profileOf(e, t) {
		return t === void 0 ? "" : s(document.baseURI, Lr(e, t));
	}
	describe(e) {
		return e ? [
			e.step === null ? "" : `step ${e.step}`,
			e.device === null ? "" : J(e.device),
			e.stream ?? "",
			e.host,
			dr(e.begin_ms, e.end_ms)
		].filter(Boolean).join(" · ") : "";
	}
	sentence(e) {
		return e?.label ? `: ${e.label}` : "";
	}
	showLabel(e) {
		return e ? "Close the trace" : "Show in trace";
	}
	single(e) {
		return e?.length === 1;
	}
	isChosen(e, t) {
		return String(e === t);
	}
	text(e) {
		return String(e);
	}
	announce(e) {
		Y(this, "show-trace", { place: e ? this.place : null });
	}
};
function Lr(e, t) {
	return {
		run: e,
		host: t.host,
		beginMs: t.begin_ms,
		endMs: t.end_ms
	};
}
customElements.define(Ir.is, Ir);
// src/elements/severity.ts
var Rr = {
	critical: "●",
	warning: "▲",
	info: "i"
}, zr = class extends F {
	static get is() {
		return "tfperf-severity";
	}
	static get template() {
		return P`
      ${V}
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
    `;
	}
	static get properties() {
		return { severity: String };
	}
	icon(e) {
		return Rr[e];
	}
};
customElements.define(zr.is, zr);
// src/accounts.ts
var Br = new Map([
	[
		"idle.stagger",
		"idle while other GPUs already run",
		"stagger",
		"falling"
	],
	[
		"compute",
		"compute",
		"compute",
		"solid"
	],
	[
		"communication.transfer",
		"AllReduce transfer",
		"transfer",
		"solid"
	],
	[
		"communication.wait",
		"waiting inside AllReduce",
		"wait",
		"rising"
	],
	[
		"copy.h2d",
		"copies to the GPU",
		"copy",
		"solid"
	],
	[
		"copy.d2h",
		"copies to the host",
		"copy",
		"falling"
	],
	[
		"copy.d2d",
		"copies between or inside GPUs",
		"copy",
		"dots"
	],
	[
		"idle.input",
		"idle, waiting for input",
		"input",
		"rising"
	],
	[
		"idle.launch",
		"idle, waiting for kernel launches",
		"launch",
		"dots"
	],
	[
		"idle.compile",
		"idle, waiting for tracing or compilation",
		"compile",
		"cross"
	],
	[
		"idle.host_op",
		"idle, an op runs on the CPU",
		"host-op",
		"bars"
	],
	[
		"idle.sync",
		"idle, the host waits for the GPU",
		"sync",
		"falling"
	],
	[
		"idle.between_steps",
		"idle between steps",
		"between",
		"cross"
	],
	[
		"idle.unknown",
		"idle, cause not recorded",
		"unknown",
		"dots"
	]
].map(([e, t, n, r]) => [e, {
	words: t,
	colour: `--account-${n}`,
	pattern: r
}])), Vr = [...Br.keys()];
function X(e) {
	return Br.get(e) ?? {
		words: Hr(e),
		colour: "--account-unknown",
		pattern: "solid"
	};
}
function Hr(e) {
	return e.slice(e.indexOf(".") + 1).replaceAll("_", " ");
}
function Z(e) {
	let t = (e) => (Vr.indexOf(e) + Vr.length + 1) % (Vr.length + 1);
	return e.filter((e) => e.ns > 0).sort((e, n) => t(e.id) - t(n.id));
}
// src/charts/svg.ts
var Ur = "http://www.w3.org/2000/svg";
function Q(e, t = {}, ...n) {
	let r = document.createElementNS(Ur, e);
	for (let [e, n] of Object.entries(t)) r.setAttribute(e, String(n));
	return r.append(...n), r;
}
var Wr = {
	rising: "M-2 2L2 -2M0 8L8 0M6 10L10 6",
	falling: "M-2 6L2 10M0 0L8 8M6 -2L10 2",
	cross: "M0 0L8 8M8 0L0 8",
	bars: "M2 0V8M6 0V8",
	dots: "M1.5 2H3.5M5.5 6H7.5"
}, Gr = 0, Kr = class {
	constructor() {
		this.defs = Q("defs"), this.prefix = `pattern-${++Gr}`, this.made = /* @__PURE__ */ new Set();
	}
	fill(e, t) {
		let n = Q("g", {}, Q("rect", {
			...t,
			style: `fill: var(${e.colour})`
		}));
		return e.pattern !== "solid" && n.append(Q("rect", {
			...t,
			fill: `url(#${this.tile(e.pattern)})`
		})), n;
	}
	tile(e) {
		let t = `${this.prefix}-${e}`;
		return this.made.has(e) || (this.made.add(e), this.defs.append(Q("pattern", {
			id: t,
			width: 8,
			height: 8,
			patternUnits: "userSpaceOnUse"
		}, Q("path", {
			d: Wr[e],
			style: `fill: none; stroke: var(--hatch); stroke-width: ${e === "dots" ? 2 : 1.2}`
		})))), t;
	}
};
function qr(e) {
	let t = new Kr();
	return Q("svg", {
		width: 12,
		height: 12,
		"aria-hidden": "true",
		style: "border-radius: 3px; flex: none"
	}, t.defs, t.fill(e, {
		width: 12,
		height: 12
	}));
}
// src/charts/stagger_chart.ts
var Jr = 26, Yr = 14, Xr = 52, Zr = 10, Qr = 22;
function $r(e) {
	let t = /* @__PURE__ */ new Map();
	for (let n of e) t.set(n.step, [...t.get(n.step) ?? [], n]);
	let n = (e) => {
		let t = e.map((e) => e.first_kernel_ns);
		return Math.max(...t) - Math.min(...t);
	};
	return [...t.values()].sort((e, t) => n(t) - n(e))[0] ?? [];
}
function ei(e) {
	let t = e / 5, n = 10 ** Math.floor(Math.log10(t)), r = ([
		1,
		2,
		5,
		10
	].find((e) => e * n >= t) ?? 10) * n;
	return Array.from({ length: Math.floor(e / r) + 1 }, (e, t) => t * r);
}
function ti(e, t) {
	let n = Math.min(0, ...e.map((e) => e.first_launch_ns ?? 0)), r = Math.max(...e.map((e) => e.last_kernel_ns), n + 1), i = (e) => Xr + (e - n) / (r - n) * (t - Xr - Zr), a = new Kr(), o = e.length * Jr, s = e.map((e, t) => {
		let n = t * Jr + 6, r = i(e.first_kernel_ns), o = Q("g", {}, Q("title", {}, `${J(e.device)}: first kernel at ${W(e.first_kernel_ns)}, last kernel ends at ${W(e.last_kernel_ns)}` + (e.first_launch_ns === null ? "" : `, first launch at ${W(e.first_launch_ns)}`)));
		if (o.append(Q("text", {
			x: 0,
			y: n + Yr - 3,
			class: "label"
		}, J(e.device)), a.fill(X("idle.stagger"), {
			x: i(0),
			y: n,
			width: Math.max(0, r - i(0)),
			height: Yr
		}), a.fill(X("compute"), {
			x: r,
			y: n,
			width: Math.max(1, i(e.last_kernel_ns) - r),
			height: Yr
		})), e.first_launch_ns !== null) {
			let t = i(e.first_launch_ns);
			o.append(Q("path", {
				d: `M${t} ${n - 3}V${n + Yr + 3}`,
				class: "launch"
			}));
		}
		return o;
	}), c = ei(r).map((e) => Q("text", {
		x: i(e),
		y: o + 14,
		class: "tick"
	}, e === 0 ? "0" : W(e)));
	return Q("svg", {
		width: t,
		height: o + Qr,
		"aria-hidden": "true"
	}, a.defs, ...s, ...c);
}
// src/elements/stagger.ts
var ni = {
	fixed: "The GPUs start in the same order in every step.",
	rotating: "The order in which the GPUs start changes from step to step.",
	none: ""
}, ri = class extends F {
	constructor(...e) {
		super(...e), this.rows = [], this.width = 0, this.resizing = new ResizeObserver(([e]) => {
			let t = Math.floor(e?.contentRect.width ?? 0);
			t > 0 && t !== this.width && (this.width = t, this.draw());
		});
	}
	static get is() {
		return "tfperf-stagger";
	}
	static get template() {
		return P`
      ${V}
      <style>
        :host { display: block; min-width: 0; }
        .label { fill: var(--ink-2); font-size: 12px; }
        .tick { fill: var(--ink-2); font-size: 11.5px; text-anchor: middle; }
        .launch { fill: none; stroke: var(--ink); stroke-width: 1.5; }
      </style>
      <div id="drawing" role="img" aria-label$="[[words]]"></div>
      <p class="note">[[words]]</p>
    `;
	}
	static get properties() {
		return {
			stagger: {
				type: Object,
				observer: "onStagger"
			},
			words: {
				type: String,
				value: ""
			}
		};
	}
	connectedCallback() {
		super.connectedCallback(), this.resizing.observe(this);
	}
	disconnectedCallback() {
		super.disconnectedCallback(), this.resizing.disconnect();
	}
	onStagger(e) {
		if (this.rows = $r(e?.items ?? []), !e || this.rows.length === 0) return;
		let t = this.rows.reduce((e, t) => t.first_kernel_ns < e.first_kernel_ns ? t : e), n = this.rows.reduce((e, t) => t.first_kernel_ns > e.first_kernel_ns ? t : e), r = W(n.first_kernel_ns - t.first_kernel_ns);
		this.words = `Step ${t.step}: ${J(n.device)} starts ${r} after ${J(t.device)}. ${ni[e.order]} ` + (this.rows.some((e) => e.first_launch_ns !== null) ? "Ticks: first launch on the host." : ""), this.draw();
	}
	draw() {
		this.width !== 0 && this.rows.length !== 0 && this.$.drawing?.replaceChildren(ti(this.rows, this.width));
	}
};
customElements.define(ri.is, ri);
// src/elements/finding.ts
var ii = class extends F {
	static get is() {
		return "tfperf-finding";
	}
	static get template() {
		return P`
      ${V}
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
        .trace { margin-top: 16px; }
        iframe { background: #fff; border: 1px solid var(--line); border-radius: 6px; display: block; height: clamp(480px, 82vh, 900px); margin-top: 6px; width: 100%; }
        @media (max-width: 999px) {
          .columns { grid-template-columns: minmax(0, 1fr); }
          .body { padding-left: 18px; }
          .head { grid-template-columns: 20px 88px 1fr 14px; }
          .saving { grid-column: 3; grid-row: 2; text-align: left; }
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
              <tfperf-fix fix="[[finding.fix]]" guide="[[finding.guide]]"></tfperf-fix>
            </div>
            <div class="side">
              <template is="dom-if" if="[[staggered]]">
                <tfperf-stagger stagger="[[stagger]]"></tfperf-stagger>
              </template>
              <template is="dom-if" if="[[finding.where.length]]">
                <tfperf-places run="[[run]]" places="[[finding.where]]" access="[[access]]" shown="[[isShown(traced)]]"></tfperf-places>
              </template>
            </div>
          </div>
          <template is="dom-if" if="[[traced]]" restamp>
            <div class="trace">
              <span class="note name">Trace viewer: [[whereabouts(traced)]]</span>
              <iframe id="trace" title$="Trace viewer: [[whereabouts(traced)]]" src$="[[viewer(run, traced)]]"></iframe>
            </div>
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
    `;
	}
	static get properties() {
		return {
			finding: {
				type: Object,
				observer: "onFinding"
			},
			index: Number,
			run: String,
			access: {
				type: Object,
				value: null
			},
			stagger: {
				type: Object,
				value: null
			},
			nested: {
				type: Boolean,
				value: !1,
				reflectToAttribute: !0
			},
			expanded: {
				type: Boolean,
				value: !1
			},
			traced: {
				type: Object,
				value: null
			},
			staggered: {
				type: Boolean,
				computed: "hasStagger(finding, stagger)"
			}
		};
	}
	ready() {
		super.ready(), this.addEventListener("show-trace", (e) => {
			e.stopPropagation(), this.traced = null, En(), this.traced = e.detail.place, Mr(this, () => {
				this.shadowRoot?.querySelector("iframe")?.scrollIntoView({ block: "nearest" });
			});
		});
	}
	onFinding() {
		this.traced = null;
	}
	onToggle() {
		this.expanded = !this.expanded, this.expanded || (this.traced = null), this.nested || Y(this, "finding-toggle", {
			id: this.finding.id,
			expanded: this.expanded
		});
	}
	hasStagger(e, t) {
		return e?.id === "gpu-stagger" && (t?.items.length ?? 0) > 0;
	}
	layout(e, t) {
		return t || e.where.length > 0 ? "" : "plain";
	}
	time(e) {
		return e?.saving ? gr(e.saving) : "";
	}
	share(e) {
		return e ? `${e.saving ? ` per step · ${G(e.saving.ratio)} · ` : ""}${e.confidence} confidence` : "";
	}
	basis(e) {
		return e?.saving?.basis ? `How the saving was estimated: ${e.saving.basis}` : "";
	}
	isShown(e) {
		return e !== null;
	}
	whereabouts(e) {
		return e ? `${e.host}, ${dr(e.begin_ms, e.end_ms)}` : "";
	}
	viewer(e, t) {
		return t ? l(document.baseURI, {
			run: e,
			host: t.host,
			beginMs: t.begin_ms,
			endMs: t.end_ms
		}) : "";
	}
	text(e) {
		return String(e);
	}
};
customElements.define(ii.is, ii);
// src/elements/findings.ts
function ai(e) {
	if (e.findings.some(({ severity: e }) => e !== "info")) return null;
	if (e.passed.length === 0) return {
		mark: "–",
		sentence: "Nothing could be judged.",
		note: "The list below says what is missing and how to record it."
	};
	if (e.ledger === null) {
		let t = e.devices.length === 0 ? "GPU time" : "whole steps";
		return {
			mark: "–",
			sentence: "The checks that this profile allows found nothing that costs time.",
			note: `${q(e.passed.length, "check")} passed. What a step loses cannot be told without ${t}.`
		};
	}
	let t = e.findings.length > 0 ? " What is listed here is worth less than that." : "";
	return {
		mark: "✓",
		sentence: "Nothing to fix above 5 % of a step.",
		note: `${q(e.passed.length, "check")} passed; “passed” below shows each with its number.${t}`
	};
}
function oi({ findings: [e, t] }) {
	return +(e?.where.length === 0 && t !== void 0 && t.where.length > 0);
}
var si = class extends F {
	static get is() {
		return "tfperf-findings";
	}
	static get template() {
		return P`
      ${V}
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
    `;
	}
	static get properties() {
		return {
			report: Object,
			access: {
				type: Object,
				value: null
			},
			opened: {
				type: String,
				value: null
			},
			calm: {
				type: Object,
				computed: "calmOf(report)"
			}
		};
	}
	calmOf(e) {
		return e ? ai(e) : null;
	}
	tally(e) {
		let t = e.passed.length + e.findings.length;
		return t === 0 ? "" : `${e.findings.length} of ${q(t, "check")} found something`;
	}
	isOpen(e, t) {
		return this.report.findings.some((e) => e.id === this.opened) ? e.id === this.opened : t <= oi(this.report) && ai(this.report) === null;
	}
	number(e) {
		return e + 1;
	}
};
customElements.define(si.is, si);
// src/elements/input.ts
var ci = class extends F {
	static get is() {
		return "tfperf-input";
	}
	static get template() {
		return P`
      ${V}
      <style>
        :host { display: block; }
        details { margin-top: 4px; }
      </style>
      <h2>Input pipeline <small class="name">[[subtitle(input)]]</small></h2>
      <details>
        <summary>Each iterator</summary>
        <div class="scroll" tabindex="0" aria-label="Each iterator">
          <table>
            <thead><tr><th>Iterator</th><th>Kind</th><th class="number">Calls</th><th class="number">Total</th><th class="number">Own</th><th class="number">Parallel calls</th><th class="number">Buffer</th><th>On the critical path</th></tr></thead>
            <tbody>
              <template is="dom-repeat" items="[[input.iterators]]">
                <tr>
                  <td class="name">[[item.name]]</td>
                  <td>[[item.kind]]</td>
                  <td class="number">[[number(item.calls_count)]]</td>
                  <td class="number">[[time(item.total_ns)]]</td>
                  <td class="number">[[time(item.self_ns)]]</td>
                  <td class="number">[[parallel(item)]]</td>
                  <td class="number">[[buffer(item)]]</td>
                  <td>[[critical(item)]]</td>
                </tr>
              </template>
            </tbody>
          </table>
        </div>
      </details>
    `;
	}
	static get properties() {
		return { input: Object };
	}
	subtitle(e) {
		return e?.bottleneck ? `slowest on its critical path: ${e.bottleneck}` : "";
	}
	number(e) {
		return K(e);
	}
	time(e) {
		return W(e);
	}
	parallel({ parallelism: e, autotune: t }) {
		return [e === null ? "" : K(e), t ? "tuned" : ""].filter(Boolean).join(", ");
	}
	buffer({ buffered_elements: e, buffer_limit: t }) {
		return e === null ? t === null ? "" : `of ${K(t)}` : t === null ? K(e) : `${K(e)} of ${K(t)}`;
	}
	critical(e) {
		return e.on_critical_path ? "yes" : "";
	}
};
customElements.define(ci.is, ci);
// src/charts/stacked_bar.ts
var li = 20;
function ui(e, t, n) {
	let r = new Kr(), i = (e) => `${(e / t * 100).toFixed(4)}%`, a = 0, o = e.map(({ id: e, ns: t }) => {
		let n = r.fill(X(e), {
			x: i(a),
			width: i(t),
			height: li
		});
		return n.append(Q("rect", {
			x: i(a),
			width: 1,
			height: li,
			style: "fill: var(--page)"
		})), a += t, n;
	});
	return {
		drawing: Q("svg", {
			width: "100%",
			height: li,
			role: "img",
			"aria-label": n,
			tabindex: 0
		}, r.defs, ...o),
		segments: o
	};
}
// src/elements/ledger.ts
var di = 16, fi = .005, pi = class extends F {
	static get is() {
		return "tfperf-ledger";
	}
	static get template() {
		return P`
      ${V}
      <style>
        :host { display: block; }
        #chart { margin-top: 8px; position: relative; }
        .row { align-items: center; display: grid; gap: 12px; grid-template-columns: var(--label-width, 56px) 1fr 66px; margin-top: 7px; }
        .device { display: flex; font-size: 13px; gap: 6px; white-space: nowrap; }
        .host { color: var(--ink-2); overflow: hidden; text-overflow: ellipsis; }
        .total { font-size: 13px; font-variant-numeric: tabular-nums; text-align: right; }
        .row svg { border-radius: 4px; display: block; overflow: hidden; }
        .row g.on { stroke: var(--ink); stroke-width: 2; }
        #tip { background: var(--ink); border-radius: 6px; color: var(--page); font-size: 12.5px; line-height: 18px; max-width: 420px; padding: 4px 10px; pointer-events: none; position: absolute; transform: translate(-50%, 6px); width: max-content; z-index: 1; }
        #legend { display: flex; flex-wrap: wrap; font-size: 13px; gap: 4px 20px; list-style: none; margin-top: 12px; padding: 0; }
        #legend li { align-items: center; color: var(--ink-2); display: flex; gap: 7px; }
        .idle { margin-top: 8px; }
        details { margin-top: 10px; }
        td.inner { padding-left: 18px; color: var(--ink-2); }
        tr.sum td { font-weight: 600; }
        .more { margin-top: 10px; }
      </style>
      <h2>Where a step goes <small>[[subtitle]]</small></h2>
      <p class="note" hidden$="[[!absence]]">[[absence]]</p>
      <div hidden$="[[!report.ledger]]">
        <div id="chart"><div id="rows"></div><div id="tip" role="status" hidden></div></div>
        <button class="button more" hidden$="[[!hiddenBars]]" on-click="onMore">[[hiddenBars]]</button>
        <p class="note idle name" hidden$="[[!idleDevices]]">[[idleDevices]]</p>
        <ul id="legend" aria-label="Shares of an average step"></ul>
        <p class="note idle" hidden$="[[!overlap]]">[[overlap]]</p>
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
    `;
	}
	static get properties() {
		return {
			report: {
				type: Object,
				observer: "onReport"
			},
			subtitle: {
				type: String,
				value: ""
			},
			absence: {
				type: String,
				value: ""
			},
			idleDevices: {
				type: String,
				value: ""
			},
			overlap: {
				type: String,
				value: ""
			},
			hiddenBars: {
				type: String,
				value: ""
			},
			columns: {
				type: Array,
				value: () => []
			},
			table: {
				type: Array,
				value: null
			}
		};
	}
	onReport(e) {
		this.table = null;
		let t = this.shadowRoot?.querySelector("details");
		t && (t.open = !1);
		let { ledger: n } = e;
		if (this.absence = n ? "" : vi(e), this.subtitle = "", !n) return;
		let r = n.devices.length === 1 ? "" : "one row a GPU, ";
		this.subtitle = `${r}average of ${q(e.steps.count, "step")}`, this.idleDevices = yi(e.devices, n), this.overlap = bi(n), this.drawRows(n, di), this.child("legend").replaceChildren(...Z(n.accounts).filter(({ id: e }) => mi(e, n)).map((e) => {
			let t = document.createElement("li"), n = X(e.id);
			return t.append(qr(n), `${n.words} ${G(e.ratio)}`), t;
		}));
	}
	onMore() {
		this.report.ledger && this.drawRows(this.report.ledger, Infinity);
	}
	onTable(e) {
		let { ledger: t, hosts: n } = this.report;
		if (!e.target.open || !t) return;
		let { devices: r } = t, i = n.length > 1;
		this.columns = [
			"average",
			"share",
			...r.map((e) => gi(e, i))
		];
		let a = (e, t) => ({
			words: X(e.id).words,
			inner: t,
			cells: [
				W(e.ns),
				G(e.ratio),
				...r.map(({ accounts: n }) => {
					let r = n.find(({ id: t }) => t === e.id);
					return t ? "" : W(r?.ns ?? 0);
				})
			]
		});
		this.table = Z(t.accounts).flatMap((e) => [a(e, ""), ...e.id === "compute" ? Z(t.compute).map((e) => a(e, "inner")) : []]), this.table.push({
			words: "step",
			inner: "sum",
			cells: [
				W(t.step_ns),
				G(1),
				...r.map((e) => W(e.step_ns))
			]
		});
	}
	child(e) {
		return this.$[e];
	}
	drawRows(e, t) {
		let n = Math.max(...e.devices.map(({ step_ns: e }) => e), 1), r = this.report.hosts.length > 1, i = e.devices.slice(0, t), a = e.devices.length - i.length;
		this.hiddenBars = a > 0 ? `Show ${q(a, "more GPU")}` : "", this.hideTip(), this.style.setProperty("--label-width", r ? "220px" : "56px"), this.child("rows").replaceChildren(...i.map((e) => this.row(e, n, r)));
	}
	row(e, t, n) {
		let r = Z(e.accounts), i = gi(e, n), a = r.map((e) => _i(e)), { drawing: o, segments: s } = ui(r, t, `${i}, ${W(e.step_ns)}: ${a.join("; ")}`), c = 0, l = (e) => {
			c = (e + s.length) % s.length;
			let t = s[c];
			t && this.showTip(t, `${i}: ${a[c]}`);
		}, u = () => this.hideTip();
		s.forEach((e, t) => e.addEventListener("pointerenter", () => l(t))), o.addEventListener("pointerleave", u), o.addEventListener("focus", () => l(c)), o.addEventListener("blur", u), o.addEventListener("keydown", (e) => {
			if (e.key === "Escape") return u();
			let t = {
				ArrowLeft: -1,
				ArrowRight: 1
			}[e.key];
			t !== void 0 && (e.preventDefault(), l(c + t));
		});
		let d = document.createElement("div");
		d.className = "row";
		let f = hi("device", "");
		return f.title = `${e.host} ${J(e.device)}`, n && f.append(hi("host", e.host)), f.append(hi("", J(e.device))), d.append(f, o, hi("total", W(e.step_ns))), d;
	}
	showTip(e, t) {
		this.hideTip(), e.classList.add("on");
		let n = this.child("tip");
		n.textContent = t, n.hidden = !1;
		let r = this.child("chart").getBoundingClientRect(), i = e.getBoundingClientRect(), a = n.offsetWidth / 2, o = i.left + i.width / 2 - r.left;
		n.style.left = `${Math.min(Math.max(o, a), r.width - a)}px`, n.style.top = `${i.bottom - r.top}px`;
	}
	hideTip() {
		this.child("tip").hidden = !0, this.shadowRoot?.querySelector("g.on")?.classList.remove("on");
	}
};
function mi(e, { devices: t }) {
	return t.some(({ accounts: t }) => t.some((t) => t.id === e && t.ratio >= fi));
}
function hi(e, t) {
	let n = document.createElement("span");
	return n.className = e, n.textContent = t, n;
}
function gi(e, t) {
	return t ? `${e.host} ${J(e.device)}` : J(e.device);
}
function _i({ id: e, ns: t, ratio: n }) {
	return `${X(e).words}, ${W(t)}, ${G(n)} of the step`;
}
function vi({ devices: e, steps: t }) {
	return e.length === 0 ? "No GPU was recorded in this profile, so there is no GPU time to divide. What the host shows is judged below." : t.count === 0 ? "No complete step can be told in this profile, so GPU time cannot be divided among steps." : "Nothing was recorded on the GPUs during the steps of this profile.";
}
function yi(e, t) {
	let n = new Set(t.devices.map(({ host: e, device: t }) => `${e} ${t}`)), r = e.filter(({ host: e, device: t }) => !n.has(`${e} ${t}`));
	if (r.length === 0) return "";
	let i = new Set(e.map(({ host: e }) => e)).size > 1, a = r.map((e) => gi(e, i));
	return `${a.slice(0, 24).join(", ")}${a.length > 24 ? " …" : ""}: ran no kernel.`;
}
function bi(e) {
	let { hidden_communication_ns: t, hidden_copy_ns: n } = e, r = [t > 0 ? `${W(t)} of communication` : "", n > 0 ? `${W(n)} of copies` : ""].filter(Boolean);
	return r.length === 0 ? "" : `Hidden under compute, so they cost nothing: ${r.join(" and ")} per step.`;
}
customElements.define(pi.is, pi);
// src/elements/no_profiles.ts
var xi = "import tensorflow as tf\n\ntensorboard = tf.keras.callbacks.TensorBoard(\"LOGDIR\", profile_batch=(10, 20))\nmodel.fit(data, epochs=1, callbacks=[tensorboard])", Si = "import tensorflow as tf\n\nfor step in range(30):\n    if step == 10:\n        tf.profiler.experimental.start(\"LOGDIR\")\n    with tf.profiler.experimental.Trace(\"train\", step_num=step, _r=1):\n        batch = next(batches)\n        train_step(batch)\ntf.profiler.experimental.stop()", Ci = class extends F {
	static get is() {
		return "tfperf-no-profiles";
	}
	static get template() {
		return P`
      ${V}
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
    `;
	}
	static get properties() {
		return {
			keras: {
				type: String,
				value: xi
			},
			loop: {
				type: String,
				value: Si
			}
		};
	}
	onRetry() {
		Y(this, "retry");
	}
};
customElements.define(Ci.is, Ci);
// src/elements/progress.ts
var wi = {
	xspace: "Reading the profile",
	trace: "Sorting events into kernels, copies and host work",
	steps: "Finding the steps",
	ledger: "Dividing each step among its causes",
	rules: "Checking the rules",
	report: "Writing the report"
}, Ti = class extends F {
	static get is() {
		return "tfperf-progress";
	}
	static get template() {
		return P`
      ${V}
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
    `;
	}
	static get properties() {
		return { progress: {
			type: Object,
			value: null
		} };
	}
	stage(e) {
		return `${e ? wi[e.stage] ?? "Analysing the profile" : "Loading"} …`;
	}
	share(e) {
		return G(e?.share ?? 0);
	}
};
customElements.define(Ti.is, Ti);
// src/elements/steps.ts
var Ei = {
	markers: "told by the step markers of the host",
	function_runs: "told by the runs of the step’s function on the host",
	steps_line: "told by the Steps line of the profile",
	period: "guessed from the period of the GPU’s work",
	none: "not told by anything in this profile"
}, Di = 1e6, Oi = class extends F {
	static get is() {
		return "tfperf-steps";
	}
	static get template() {
		return P`
      ${V}
      <style>
        :host { display: block; }
        details { margin-top: 4px; }
        td.out { color: var(--ink-2); }
      </style>
      <h2>Steps <small>[[subtitle(steps)]]</small></h2>
      <p class="note">[[sizes(steps)]]</p>
      <details on-toggle="onToggle" hidden$="[[!steps.items.length]]">
        <summary>Each step</summary>
        <template is="dom-if" if="[[open]]">
          <div class="scroll" tabindex="0" aria-label="Each step">
            <table>
              <thead><tr><th>Step</th><th>Host</th><th class="number">Begins at</th><th class="number">Length</th><th class="number">Compute</th><th>Most other time</th><th>Note</th></tr></thead>
              <tbody>
                <template is="dom-repeat" items="[[steps.items]]">
                  <tr>
                    <td>[[item.number]]</td>
                    <td class="name">[[item.host]]</td>
                    <td class="number">[[begin(item)]]</td>
                    <td class="number">[[length(item)]]</td>
                    <td class="number">[[compute(item)]]</td>
                    <td>[[other(item)]]</td>
                    <td class="out name">[[note(item)]]</td>
                  </tr>
                </template>
              </tbody>
            </table>
          </div>
          <p class="note">[[capped(steps)]]</p>
        </template>
      </details>
    `;
	}
	static get properties() {
		return {
			steps: Object,
			open: {
				type: Boolean,
				value: !1
			}
		};
	}
	onToggle(e) {
		this.open = e.target.open;
	}
	subtitle(e) {
		return `${q(e.count, "step")} judged, ${Ei[e.source]}`;
	}
	sizes(e) {
		if (e.count === 0) return "";
		let { mean_ns: t, p50_ns: n, p95_ns: r, max_ns: i } = e;
		return `mean ${W(t)} · median ${W(n)} · 95th percentile ${W(r)} · longest ${W(i)}`;
	}
	begin(e) {
		return ur(e.begin_ms);
	}
	length(e) {
		return W((e.end_ms - e.begin_ms) * Di);
	}
	compute(e) {
		let t = ki(e).get("compute");
		return t === void 0 ? "" : G(t);
	}
	other(e) {
		let [t] = [...ki(e)].filter(([e]) => e !== "compute").sort((e, t) => t[1] - e[1]);
		return t && t[1] > 0 ? `${X(t[0]).words}, ${G(t[1])}` : "";
	}
	note(e) {
		return e.note || (e.judged ? "" : "left out");
	}
	capped(e) {
		let { items: t, items_total: n } = e;
		return n > t.length ? `The first ${t.length} of ${n} steps.` : "";
	}
};
function ki(e) {
	let t = /* @__PURE__ */ new Map(), n = 0;
	for (let { accounts: r } of e.devices) for (let [e, i] of Object.entries(r)) t.set(e, (t.get(e) ?? 0) + i), n += i;
	for (let [e, r] of t) t.set(e, n > 0 ? r / n : 0);
	return t;
}
customElements.define(Oi.is, Oi);
// src/elements/summary.ts
var Ai = class extends F {
	static get is() {
		return "tfperf-summary";
	}
	static get template() {
		return P`
      ${V}
      <style>
        :host { display: block; padding-top: 24px; }
        h1 { font-size: 26px; font-weight: 400; line-height: 1.3; text-wrap: balance; }
        h1 b { font-weight: 700; }
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
          <div title$="[[item.more]]">
            <dt>[[item.words]]</dt>
            <dd class$="[[missingClass(item)]]">[[item.value]]</dd>
          </div>
        </template>
      </dl>
    `;
	}
	static get properties() {
		return { report: Object };
	}
	parts(e) {
		return _r(e);
	}
	missingClass(e) {
		return e.missing ? "missing" : "";
	}
	nothingKnown(e) {
		return this.numbers(e).every(({ missing: e }) => e);
	}
	numbers(e) {
		let t = e.key_numbers, n = t.ops_on_device_count_ratio, r = t.compute_tf32_ratio ?? 0, i = [
			$(t.device_time_ratio, "of the step on the device", "Step time in which the GPU works."),
			$(t.ops_on_device_ratio, `of op time placed on the device${n === null ? "" : `, ${G(n)} of ops`}`, "Ops that run on a GPU and not on the CPU, by time and by count."),
			$(t.compute_16bit_ratio, `of compute in 16 bit${r > 0 ? `, ${G(r)} in TF32` : ""}`, "Kernel time in float16 and bfloat16; TensorFloat-32 is counted apart."),
			$(t.gpu_busy_ratio, "GPU busy", "Time in which anything at all runs on a GPU.")
		], a = e.allreduce;
		if (a && a.transfer_ns > 0) {
			let { transfer_ns: e, ring_bound_ns: t } = a, n = t ? `, ${(e / t).toFixed(1)} × the ring bound` : "";
			i.push({
				value: W(e),
				words: `AllReduce transfer${n}`,
				more: "Per step; waiting for other GPUs is not in it.",
				missing: !1
			});
		}
		return i;
	}
};
function $(e, t, n) {
	return {
		value: e === null ? "not recorded" : G(e),
		words: t,
		more: n,
		missing: e === null
	};
}
customElements.define(Ai.is, Ai);
// src/elements/trust.ts
var ji = class extends F {
	static get is() {
		return "tfperf-trust";
	}
	static get template() {
		return P`
      ${V}
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
              <p class="name">It also explains: [[item.title]]. [[item.summary]]</p>
              <tfperf-evidence items="[[item.evidence]]" hidden$="[[!item.evidence.length]]"></tfperf-evidence>
            </template>
            <tfperf-fix fix="[[open.fix]]" guide="[[open.guide]]"></tfperf-fix>
          </div>
        </template>
      </div>
    `;
	}
	static get properties() {
		return {
			notes: {
				type: Array,
				observer: "onNotes"
			},
			open: {
				type: Object,
				value: null
			}
		};
	}
	onNotes() {
		this.open = null;
	}
	onOpen(e) {
		this.open = this.open === e.model.item ? null : e.model.item;
	}
	isOpen(e, t) {
		return String(e === t);
	}
	icon(e) {
		return {
			critical: "●",
			warning: "▲",
			info: "i"
		}[e.severity];
	}
};
customElements.define(ji.is, ji);
// src/elements/app.ts
var Mi = class extends F {
	constructor(...e) {
		super(...e), this.state = z, this.loading = new AbortController(), this.stale = !1;
	}
	static get is() {
		return "tfperf-app";
	}
	static get template() {
		return P`
      ${V}
      <style>
        :host { background: var(--page); display: block; min-height: 100vh; }
        main { margin: 0 auto; max-width: 1180px; padding: 0 24px 64px; }
        tfperf-ledger, tfperf-findings, tfperf-allreduce, tfperf-input, tfperf-steps { margin-top: 32px; }
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
          <tfperf-findings report="[[report]]" access="[[access]]" opened="[[opened]]"></tfperf-findings>
          <template is="dom-if" if="[[report.allreduce]]" restamp>
            <tfperf-allreduce allreduce="[[report.allreduce]]"></tfperf-allreduce>
          </template>
          <template is="dom-if" if="[[report.input.iterators.length]]" restamp>
            <tfperf-input input="[[report.input]]"></tfperf-input>
          </template>
          <template is="dom-if" if="[[report.steps.items.length]]">
            <tfperf-steps steps="[[report.steps]]"></tfperf-steps>
          </template>
        </template>
      </main>
    `;
	}
	static get properties() {
		return {
			view: {
				type: String,
				value: "waiting"
			},
			runs: {
				type: Array,
				value: () => []
			},
			run: {
				type: String,
				value: null
			},
			report: {
				type: Object,
				value: null
			},
			progress: {
				type: Object,
				value: null
			},
			error: {
				type: Object,
				value: null
			},
			access: {
				type: Object,
				value: null
			},
			opened: {
				type: String,
				value: null
			}
		};
	}
	ready() {
		super.ready();
		let e = (e, t) => this.addEventListener(e, (e) => t(e.detail));
		e("run-change", ({ run: e }) => this.choose({
			...z,
			run: e
		})), e("assume", (e) => this.choose({
			...this.state,
			...e
		})), e("retry", () => {
			this.view === "failed" && this.error?.kind === "bad_request" ? this.choose({
				...z,
				run: this.run
			}) : this.load();
		}), e("finding-toggle", ({ id: e, expanded: t }) => {
			t ? this.remember({
				...this.state,
				finding: e
			}) : this.state.finding === e && this.remember({
				...this.state,
				finding: null
			});
		}), e("open-profile-tab", ({ target: e, click: t }) => {
			this.host.openProfileTab(e) && t.preventDefault();
		});
	}
	start(e, t) {
		return this.backend = e, this.host = t, this.state = t.readAddress(), t.onShown(() => this.catchUp()), this.load();
	}
	reload() {
		this.host.isShown() ? this.load() : this.stale = !0;
	}
	hasRuns(e, t) {
		return e.length > 0 || t !== null;
	}
	is(e, t) {
		return e === t;
	}
	catchUp() {
		let e = this.host.readAddress();
		e.run !== null && JSON.stringify(e) !== JSON.stringify(this.state) ? this.choose(e) : (this.host.writeAddress(this.state), this.stale && this.load());
	}
	current(e, t) {
		return e === "report" ? t : null;
	}
	remember(e) {
		this.state = e, this.host.writeAddress(e);
	}
	choose(e) {
		this.remember(e), this.load();
	}
	async load() {
		this.loading.abort(), this.loading = new AbortController(), this.stale = !1;
		let { signal: e } = this.loading;
		try {
			let t = await this.backend.runs();
			if (e.aborted) return;
			this.runs = t;
			let n = this.state.run ?? t[0]?.name;
			if (n === void 0) {
				this.run = null, this.view = "empty";
				return;
			}
			(n !== this.report?.run || this.view !== "report") && this.wait(n);
			let { parameters: r, bandwidth: i } = this.state, a = await this.backend.report({
				run: n,
				parameters: r,
				bandwidth: i
			}, (e) => {
				this.progress = e, this.view = "waiting";
			}, e);
			e.aborted || this.present(n, a);
		} catch (t) {
			e.aborted || this.fail(t);
		}
	}
	wait(e) {
		this.run = e, this.progress = null, this.access = null, this.view = "waiting";
	}
	present(e, t) {
		this.run = e, this.remember({
			...this.state,
			run: e
		}), (this.view !== "report" || JSON.stringify(t) !== JSON.stringify(this.report)) && (this.opened = this.state.finding, this.report = t, this.view = "report"), this.backend.traceAccess(e).then((t) => {
			this.run === e && (this.access = t);
		});
	}
	fail(e) {
		this.error = e instanceof ee ? e : new ee(e instanceof Error ? e.message : String(e), "internal"), this.view = "failed";
	}
};
customElements.define(Mi.is, Mi);
// src/host.ts
var Ni = 2e4;
function Pi() {
	try {
		return window.parent !== window && window.parent.document ? window.parent : null;
	} catch {
		return null;
	}
}
function Fi(e) {
	return e.querySelector("iframe[src$=\"plugin_entry.html?name=profile\"]");
}
function Ii(e, t) {
	return new Promise((n) => {
		let r = (e) => {
			a.disconnect(), clearTimeout(o), n(e);
		}, i = () => {
			let e = t();
			e !== null && r(e);
		}, a = new MutationObserver(i), o = setTimeout(() => r(null), Ni);
		a.observe(e, {
			childList: !0,
			subtree: !0
		}), i();
	});
}
var Li = class {
	constructor(e = Pi(), t = document.baseURI) {
		this.tensorboard = e, this.baseURI = t;
	}
	readAddress() {
		return this.tensorboard ? er(this.tensorboard.location.hash) : z;
	}
	writeAddress(e) {
		if (!this.tensorboard || !tr(this.tensorboard.location.hash)) return;
		let { history: t, location: n } = this.tensorboard, r = nr(n.hash, e);
		r !== n.hash && t.replaceState(t.state, "", r);
	}
	isShown() {
		return window.innerHeight > 0;
	}
	onShown(e) {
		let t = this.tensorboard, n = zi();
		if (!t || !n) return;
		let r = () => {
			this.isShown() && e();
		}, { ResizeObserver: i } = t;
		new i(r).observe(n), t.addEventListener("hashchange", r);
	}
	openProfileTab(e) {
		let t = this.tensorboard;
		return t ? (t.location.hash = "profile", t.history.replaceState(t.history.state, "", `${c(e)}#profile`), this.zoomProfileTab(t, e), !0) : !1;
	}
	async zoomProfileTab(e, t) {
		let n = await Ii(e.document, () => Fi(e.document)), r = n?.contentWindow;
		if (!n || !r) return;
		r.location.replace(u(this.baseURI, t, Date.now().toString(36))), await new Promise((e) => n.addEventListener("load", e, { once: !0 }));
		let i = n.contentDocument;
		if (!i) return;
		let a = await Ii(i, () => {
			let e = i.querySelector("trace-viewer iframe");
			return e?.src ? e : null;
		});
		a && (a.contentWindow?.location.replace(d(a.src, t)), e.location.hash === "" && e.history.replaceState(e.history.state, "", `${e.location.search}#profile`));
	}
};
function Ri() {
	document.documentElement.lang = "en", document.title = "Diagnostics";
	let e = zi();
	e && (e.title = "Diagnostics");
}
function zi() {
	try {
		return window.frameElement;
	} catch {
		return null;
	}
}
function Bi() {
	let e = document.documentElement, t = Pi()?.document.body;
	if (t) {
		let n = () => {
			e.dataset.theme = t.classList.contains("dark-mode") ? "dark" : "light";
		};
		n(), new MutationObserver(n).observe(t, {
			attributes: !0,
			attributeFilter: ["class"]
		});
		return;
	}
	let n = window.matchMedia("(prefers-color-scheme: dark)"), r = () => {
		e.dataset.theme = n.matches ? "dark" : "light";
	};
	r(), n.addEventListener("change", r);
}
function Vi(e = zi()) {
	e && Object.defineProperty(e, "reload", {
		configurable: !0,
		get: () => void 0,
		set: (t) => {
			let n = Fi(e.ownerDocument);
			n && Object.assign(n, { reload: t });
		}
	});
}
function Hi(e) {
	let t = Pi();
	if (!t) return;
	let { port1: n, port2: r } = new MessageChannel();
	n.onmessage = ({ data: t }) => {
		let { type: r, id: i, isReply: a } = JSON.parse(t);
		a || (n.postMessage(JSON.stringify({
			type: r,
			id: i,
			payload: null,
			error: null,
			isReply: !0
		})), r === "experimental.DataReloaded" && e());
	}, t.postMessage("experimental.bootstrap", "*", [r]);
}
// src/index.ts
function Ui() {
	Ri(), Vi(), Bi();
	let e = document.createElement("style");
	e.textContent = rr, document.head.append(e);
	let t = document.createElement("tfperf-app");
	document.body.append(t), Hi(() => t.reload()), t.start(new ie(document.baseURI), new Li());
}
export { Ui as render };
