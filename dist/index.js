import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 611:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("http");

/***/ }),

/***/ 692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("https");

/***/ }),

/***/ 610:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dns");

/***/ }),

/***/ 67:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http");

/***/ }),

/***/ 30:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:net");

/***/ }),

/***/ 75:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream");

/***/ }),

/***/ 311:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:tls");

/***/ }),

/***/ 522:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:zlib");

/***/ }),

/***/ 563:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   U9: () => (/* binding */ isLoopback),
/* harmony export */   hG: () => (/* binding */ under),
/* harmony export */   l_: () => (/* binding */ checkAddress),
/* harmony export */   y1: () => (/* binding */ mistakeInOrigin)
/* harmony export */ });
function isLoopback({ hostname }) {
    return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
const MAX_LENGTH = 2_048;
function checkAddress(text, mayUseHttp = isLoopback) {
    if (text.length > MAX_LENGTH)
        return { why: 'is too long' };
    if (!URL.canParse(text))
        return { why: 'is not a URL' };
    const url = new URL(text);
    const why = mistakeInOrigin(url, mayUseHttp);
    if (why !== undefined)
        return { why };
    if (text.includes('?'))
        return { why: 'contains a query' };
    if (text.includes('#'))
        return { why: 'contains a fragment' };
    return { url };
}
function mistakeInOrigin(url, mayUseHttp = isLoopback) {
    if (url.username !== '' || url.password !== '')
        return 'contains credentials';
    if (!['https:', 'http:'].includes(url.protocol))
        return 'does not begin with https://';
    const isInsecure = url.protocol === 'http:' && !mayUseHttp(url);
    return isInsecure ? 'uses http (allowed only for loopback addresses)' : undefined;
}
function under(base, path) {
    return new URL(base.href.replace(/(?<!\/)\/+$/, '') + path);
}


/***/ }),

/***/ 171:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   E9: () => (/* binding */ parseDuration),
/* harmony export */   Ly: () => (/* binding */ isoTime),
/* harmony export */   a3: () => (/* binding */ formatDuration)
/* harmony export */ });
const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
function parseDuration(text) {
    if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/i.test(text))
        return undefined;
    const parts = [...text.toLowerCase().matchAll(/([\d.]+)(ms|s|m|h|d)/g)];
    return Math.round(parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS_MS[unit] ?? 0), 0));
}
function formatDuration(ms) {
    if (ms < 1_000)
        return ms > 0 ? `${Math.round(ms)}ms` : '0s';
    const seconds = Math.floor(ms / 1_000);
    const parts = [
        [Math.floor(seconds / 3_600), 'h'],
        [Math.floor(seconds / 60) % 60, 'm'],
        [seconds % 60, 's'],
    ];
    const shown = parts.filter(([count]) => count > 0).slice(0, 2);
    return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
}
function isoTime(ms) {
    const date = new Date(ms);
    return Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString();
}


/***/ }),

/***/ 753:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Xe: () => (/* binding */ piecesOf),
/* harmony export */   eB: () => (/* binding */ asObject),
/* harmony export */   m8: () => (/* binding */ isCompleteJson),
/* harmony export */   qF: () => (/* binding */ parseJson)
/* harmony export */ });
const MOST_SEPARATORS = 10_000;
function parseJson(text) {
    let count = 0;
    for (let at = separatorFrom(0, text); at < text.length; at = separatorFrom(at + 1, text)) {
        count += 1;
        if (count > MOST_SEPARATORS)
            return undefined;
    }
    return parsed(text);
}
function parsed(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
const LONGEST_AT_ONCE = 262_144;
function isCompleteJson(text) {
    const json = text.trim();
    let count = 0;
    let depth = 0;
    let end = '[{'.includes(json.charAt(0)) ? json.length : 0;
    for (let at = separatorFrom(0, json); at < end; at = separatorFrom(at + 1, json)) {
        count += 1;
        if ('[{'.includes(json.charAt(at)))
            depth += 1;
        else if (']}'.includes(json.charAt(at)))
            depth -= 1;
        if (depth === 0)
            end = at;
    }
    const isLarge = count > MOST_SEPARATORS || json.length > LONGEST_AT_ONCE;
    return isLarge ? end === json.length - 1 : parsed(json) !== undefined;
}
const PIECE_CHARACTERS = 65_536;
function* piecesOf(text) {
    const array = text.trim();
    const last = array.startsWith('[') ? array.length - 1 : -1;
    let depth = 0;
    let count = 0;
    let start = 1;
    for (let at = separatorFrom(0, array); at < array.length; at = separatorFrom(at + 1, array)) {
        const separator = array.charAt(at);
        count += 1;
        if ('[{'.includes(separator))
            depth += 1;
        if (']}'.includes(separator))
            depth -= 1;
        if (depth === 0 || count > MOST_SEPARATORS) {
            yield at === last ? parsed(`[${array.slice(start)}`) : undefined;
            return;
        }
        const isFull = at - start > PIECE_CHARACTERS || count > MOST_SEPARATORS / 2;
        if (depth > 1 || separator !== ',' || !isFull)
            continue;
        yield parsed(`[${array.slice(start, at)}]`);
        count = 0;
        start = at + 1;
    }
    yield undefined;
}
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
function separatorFrom(start, text) {
    let isInString = false;
    let at = start;
    for (; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (code === QUOTE)
            isInString = !isInString;
        else if (isInString)
            at += code === BACKSLASH ? 1 : 0;
        else if (code === COMMA || code === COLON || (code | 0x20) === 0x7b || (code | 0x20) === 0x7d)
            return at;
    }
    return text.length;
}
function asObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}


/***/ }),

/***/ 440:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   B6: () => (/* binding */ LONGEST_NAME),
/* harmony export */   Ct: () => (/* binding */ flat),
/* harmony export */   Df: () => (/* binding */ withoutCommands),
/* harmony export */   KE: () => (/* binding */ listed),
/* harmony export */   TL: () => (/* binding */ quoted),
/* harmony export */   TN: () => (/* binding */ oneLine),
/* harmony export */   Uc: () => (/* binding */ REPORT_BUG),
/* harmony export */   WB: () => (/* binding */ internalError),
/* harmony export */   aX: () => (/* binding */ asSeen),
/* harmony export */   bD: () => (/* binding */ messageOf),
/* harmony export */   c3: () => (/* binding */ SHORTEST_SECRET),
/* harmony export */   cC: () => (/* binding */ MOST_LISTED),
/* harmony export */   em: () => (/* binding */ sentence),
/* harmony export */   eq: () => (/* binding */ untrimmed),
/* harmony export */   l2: () => (/* binding */ capitalized),
/* harmony export */   ml: () => (/* binding */ shorten),
/* harmony export */   tv: () => (/* binding */ unescaped),
/* harmony export */   yG: () => (/* binding */ bugOf)
/* harmony export */ });
const LINE_BREAK = /\r\n?|[\n\x85\u2028\u2029]/g;
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;
const WITHIN = String.raw `\0-\x17\x19\x1C-\x1F\x7F`;
const ESCAPE_SEQUENCE = new RegExp([
    String.raw `(?:\x1B[${WITHIN}]*\[|\x9B)[${WITHIN} -?]*[@-~]?`,
    String.raw `\x1B[${WITHIN}]*[PX\]^_][^\x07\x18\x1A\x1B\x9C]*(?:[\x07\x18\x1A\x9C]|\x1B\\)?`,
    String.raw `[\x90\x98\x9D-\x9F][^\x07\x18\x1A\x1B\x80-\x9F]*(?:[\x07\x18\x1A\x9C]|\x1B\\)`,
    String.raw `\x1B[${WITHIN} -/]*[0-~]?`,
].join('|'), 'g');
const SHORTEST_SECRET = 8;
function flat(text) {
    return untrimmed(text).trim();
}
function untrimmed(text) {
    return visible(text).replace(/\s+/gu, ' ');
}
const LONGEST_NAME = 1_000;
function asSeen(name) {
    return name.length > LONGEST_NAME ? '' : flat(name).normalize('NFC');
}
function oneLine(text, longest = 500) {
    return withoutCommands(shorten(flat(text), longest));
}
function unescaped(text) {
    return visible(text).replaceAll('\t', ' ').trim();
}
function visible(text) {
    return text.replace(ESCAPE_SEQUENCE, '').replace(LINE_BREAK, '\n').replace(INVISIBLE, '');
}
function withoutCommands(line) {
    return line.replaceAll('##[', '#\u200B#[').replace(/^(\s*):(?=:)/u, '$1:\u200B');
}
function quoted(text, longest = 200) {
    const line = oneLine(text, longest);
    if (line.includes('"') && !line.includes("'"))
        return `'${line}'`;
    return `"${line.replaceAll('"', "'")}"`;
}
const FROM_BEGINNING = 0.6;
const REST = /^[\uDC00-\uDFFF\p{M}]+/u;
function shorten(text, longest) {
    if (text.length <= longest)
        return text;
    const kept = Math.max(longest - 1, 0);
    const first = Math.ceil(kept * FROM_BEGINNING);
    const beginning = text.slice(0, first).replace(/[\uD800-\uDBFF]$/, '');
    const end = kept === first ? '' : text.slice(first - kept).replace(REST, '');
    return `${beginning.trimEnd()}…${end.trimStart()}`;
}
function capitalized(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}
function sentence(text) {
    return /[.!?…]$/.test(text) ? text : `${text}.`;
}
const MOST_LISTED = 5;
function listed(items, word = 'and') {
    const few = items.slice(0, MOST_LISTED);
    const last = items.length > MOST_LISTED ? `${items.length - MOST_LISTED} more` : (few.pop() ?? '');
    return few.length > 0 ? `${few.join(', ')} ${word} ${last}` : last;
}
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}
const REPORT_BUG = 'Please report this bug.';
function internalError(why) {
    return `Internal error in this action: ${oneLine(why)}. ${REPORT_BUG}`;
}
function bugOf(error) {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const [place] = /(?:\d{1,5}\.)?index\.js:\d+/.exec(stack) ?? [];
    return place === undefined ? messageOf(error) : `${messageOf(error)}, ${place}`;
}


/***/ }),

/***/ 884:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   O: () => (/* binding */ isDecodable),
/* harmony export */   Z2: () => (/* binding */ codingsOf),
/* harmony export */   oe: () => (/* binding */ decoderFor)
/* harmony export */ });
function codingsOf({ 'content-encoding': content = '', 'transfer-encoding': transfer = '', }) {
    return `${content},${transfer}`
        .split(',')
        .map((coding) => coding.trim())
        .filter((coding) => !/^(?:chunked|identity)?$/i.test(coding))
        .join(',');
}
function isDecodable(codings) {
    return /^(?:(?:x-)?gzip|deflate|br)$/i.test(codings);
}
async function decoderFor(codings, firstByte) {
    const zlib = await Promise.resolve(/* import() */).then(__nccwpck_require__.t.bind(__nccwpck_require__, 522, 19));
    const coding = codings.toLowerCase();
    if (coding === 'br')
        return zlib.createBrotliDecompress();
    if (coding !== 'deflate')
        return zlib.createGunzip();
    return (firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw();
}


/***/ }),

/***/ 293:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   HM: () => (/* binding */ portOf),
/* harmony export */   Wm: () => (/* binding */ proxySecrets),
/* harmony export */   iJ: () => (/* binding */ proxyFor),
/* harmony export */   o4: () => (/* binding */ withoutBrackets),
/* harmony export */   wi: () => (/* binding */ unknownNoProxyEntries)
/* harmony export */ });
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(30);
/* harmony import */ var _base_address_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(563);
/* harmony import */ var _send_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(275);



function proxyFor(url, env) {
    const name = variableFor(url, env);
    if (name === undefined)
        return undefined;
    const proxy = parseProxy(env[name] ?? '');
    if (proxy === undefined)
        throw (0,_send_js__WEBPACK_IMPORTED_MODULE_1__/* .errorWith */ .xK)('PROXY_ADDRESS', `the ${name} environment variable is not a valid URL`);
    return proxy;
}
function variableFor(url, env) {
    if ((0,_base_address_js__WEBPACK_IMPORTED_MODULE_2__/* .isLoopback */ .U9)(url) || isExempt(url, env))
        return undefined;
    return ['https_proxy', 'HTTPS_PROXY'].find((name) => (env[name] ?? '').trim() !== '');
}
function parseProxy(value) {
    const text = value.trim();
    const address = text.includes('://') ? text : `http://${text}`;
    if (!URL.canParse(address))
        return undefined;
    const url = new URL(address);
    url.username = encodeURIComponent(decoded(url.username));
    url.password = encodeURIComponent(decoded(url.password));
    const isPlain = `${url.pathname}${url.search}${url.hash}` === '/' && url.port !== '0';
    return isPlain && /^https?:$/.test(url.protocol) ? url : undefined;
}
function decoded(text) {
    return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
        try {
            return decodeURIComponent(encoded);
        }
        catch {
            return encoded;
        }
    });
}
function proxySecrets(url, env) {
    const name = variableFor(url, env);
    const value = name === undefined ? '' : (env[name] ?? '');
    if (parseProxy(value) === undefined)
        return [];
    const [, user = '', password = ''] = /^\s*(?:[a-z][\w+.-]*:\/\/)?([^:]*):?(.*)@/i.exec(value) ?? [];
    if (user === '' && password === '')
        return [];
    const credentials = Buffer.from(`${decoded(user)}:${decoded(password)}`).toString('base64');
    const spellings = [password, decoded(password), encodeURIComponent(decoded(password))];
    return [...new Set([...spellings.filter((each) => each !== ''), credentials])];
}
function unknownNoProxyEntries(env) {
    return [...new Set(entriesOf(env))].filter((entry) => ruleOf(entry) === undefined);
}
function isExempt(url, env) {
    const host = withoutBrackets(url.hostname);
    return entriesOf(env).some((entry) => ruleOf(entry)?.(host, portOf(url)));
}
function entriesOf(env) {
    const list = env['no_proxy'] || env['NO_PROXY'] || '';
    return list.split(/[\s,]/).filter((entry) => entry !== '');
}
function ruleOf(entry) {
    if (entry === '*')
        return () => true;
    const range = /^\[?(?<ip>[^[\]/]+?)\]?(?:\/(?<bits>\d{1,3}))?(?::(?<port>\d{1,5}))?$/.exec(entry)?.groups ?? {};
    const { ip = '', bits, port } = (0,node_net__WEBPACK_IMPORTED_MODULE_0__.isIP)(entry) === 0 ? range : { ip: entry };
    if ((0,node_net__WEBPACK_IMPORTED_MODULE_0__.isIP)(ip) !== 0)
        return rangeRule(ip, bits, port);
    const name = /^(?<dot>\*?\.)?(?<suffix>[^.*/:@[\]][^*/:@[\]]*)(?::(?<port>\d{1,5}))?$/.exec(entry)?.groups;
    if (name === undefined || !URL.canParse(`http://${name['suffix']}`))
        return undefined;
    const hostname = new URL(`http://${name['suffix']}`).hostname.replace(/\.$/, '');
    if (!/^[\w.-]+$/.test(hostname) || (0,node_net__WEBPACK_IMPORTED_MODULE_0__.isIP)(hostname) !== 0)
        return undefined;
    return (host, actual) => (name['port'] ?? actual) === actual &&
        (host.endsWith(`.${hostname}`) || (name['dot'] === undefined && host === hostname));
}
function rangeRule(ip, bits, port) {
    const version = (0,node_net__WEBPACK_IMPORTED_MODULE_0__.isIP)(ip);
    const [family, longest] = version === 4 ? ['ipv4', 32] : ['ipv6', 128];
    const length = Number(bits ?? longest);
    if (length > longest)
        return undefined;
    const list = new node_net__WEBPACK_IMPORTED_MODULE_0__.BlockList();
    list.addSubnet(ip, length, family);
    return (host, actual) => (port ?? actual) === actual && (0,node_net__WEBPACK_IMPORTED_MODULE_0__.isIP)(host) === version && list.check(host, family);
}
function portOf({ port, protocol }) {
    const usual = protocol === 'http:' ? '80' : '443';
    return port === '' ? usual : port;
}
function withoutBrackets(host) {
    return host.replace(/[[\]]/g, '');
}


/***/ }),

/***/ 275:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   bj: () => (/* binding */ unanswered),
/* harmony export */   j3: () => (/* binding */ PROXY_FAILED),
/* harmony export */   xK: () => (/* binding */ errorWith)
/* harmony export */ });
/* harmony import */ var _base_text_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(440);

const PROXY_FAILED = 'PROXY_FAILED ';
function errorWith(code, message) {
    return Object.assign(new Error(message), { code });
}
function unanswered(connected, error) {
    const { code = '' } = error instanceof Error ? error : new Error();
    return { kind: 'unanswered', connected, code, message: (0,_base_text_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error) || code };
}


/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		// no module.id needed
/******/ 		// no module.loaded needed
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/******/ // expose the modules object (__webpack_modules__)
/******/ __nccwpck_require__.m = __webpack_modules__;
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/create fake namespace object */
/******/ (() => {
/******/ 	var getProto = Object.getPrototypeOf ? (obj) => (Object.getPrototypeOf(obj)) : (obj) => (obj.__proto__);
/******/ 	var leafPrototypes;
/******/ 	// create a fake namespace object
/******/ 	// mode & 1: value is a module id, require it
/******/ 	// mode & 2: merge all properties of value into the ns
/******/ 	// mode & 4: return value when already ns object
/******/ 	// mode & 16: return value when it's Promise-like
/******/ 	// mode & 8|1: behave like require
/******/ 	__nccwpck_require__.t = function(value, mode) {
/******/ 		if(mode & 1) value = this(value);
/******/ 		if(mode & 8) return value;
/******/ 		if(typeof value === 'object' && value) {
/******/ 			if((mode & 4) && value.__esModule) return value;
/******/ 			if((mode & 16) && typeof value.then === 'function') return value;
/******/ 		}
/******/ 		var ns = Object.create(null);
/******/ 		__nccwpck_require__.r(ns);
/******/ 		var def = {};
/******/ 		leafPrototypes = leafPrototypes || [null, getProto({}), getProto([]), getProto(getProto)];
/******/ 		for(var current = mode & 2 && value; typeof current == 'object' && !~leafPrototypes.indexOf(current); current = getProto(current)) {
/******/ 			Object.getOwnPropertyNames(current).forEach((key) => (def[key] = () => (value[key])));
/******/ 		}
/******/ 		def['default'] = () => (value);
/******/ 		__nccwpck_require__.d(ns, def);
/******/ 		return ns;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/ensure chunk */
/******/ (() => {
/******/ 	__nccwpck_require__.f = {};
/******/ 	// This file contains only the entry chunk.
/******/ 	// The chunk loading function for additional chunks
/******/ 	__nccwpck_require__.e = (chunkId) => {
/******/ 		return Promise.all(Object.keys(__nccwpck_require__.f).reduce((promises, key) => {
/******/ 			__nccwpck_require__.f[key](chunkId, promises);
/******/ 			return promises;
/******/ 		}, []));
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/get javascript chunk filename */
/******/ (() => {
/******/ 	// This function allow to reference async chunks
/******/ 	__nccwpck_require__.u = (chunkId) => {
/******/ 		// return url for filenames based on template
/******/ 		return "" + chunkId + ".index.js";
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/******/ /* webpack/runtime/make namespace object */
/******/ (() => {
/******/ 	// define __esModule on exports
/******/ 	__nccwpck_require__.r = (exports) => {
/******/ 		if(typeof Symbol !== 'undefined' && Symbol.toStringTag) {
/******/ 			Object.defineProperty(exports, Symbol.toStringTag, { value: 'Module' });
/******/ 		}
/******/ 		Object.defineProperty(exports, '__esModule', { value: true });
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/import chunk loading */
/******/ (() => {
/******/ 	// no baseURI
/******/ 	
/******/ 	// object to store loaded and loading chunks
/******/ 	// undefined = chunk not loaded, null = chunk preloaded/prefetched
/******/ 	// [resolve, Promise] = chunk loading, 0 = chunk loaded
/******/ 	var installedChunks = {
/******/ 		792: 0
/******/ 	};
/******/ 	
/******/ 	var installChunk = (data) => {
/******/ 		var {ids, modules, runtime} = data;
/******/ 		// add "modules" to the modules object,
/******/ 		// then flag all "ids" as loaded and fire callback
/******/ 		var moduleId, chunkId, i = 0;
/******/ 		for(moduleId in modules) {
/******/ 			if(__nccwpck_require__.o(modules, moduleId)) {
/******/ 				__nccwpck_require__.m[moduleId] = modules[moduleId];
/******/ 			}
/******/ 		}
/******/ 		if(runtime) runtime(__nccwpck_require__);
/******/ 		for(;i < ids.length; i++) {
/******/ 			chunkId = ids[i];
/******/ 			if(__nccwpck_require__.o(installedChunks, chunkId) && installedChunks[chunkId]) {
/******/ 				installedChunks[chunkId][0]();
/******/ 			}
/******/ 			installedChunks[ids[i]] = 0;
/******/ 		}
/******/ 	
/******/ 	}
/******/ 	
/******/ 	__nccwpck_require__.f.j = (chunkId, promises) => {
/******/ 			// import() chunk loading for javascript
/******/ 			var installedChunkData = __nccwpck_require__.o(installedChunks, chunkId) ? installedChunks[chunkId] : undefined;
/******/ 			if(installedChunkData !== 0) { // 0 means "already installed".
/******/ 	
/******/ 				// a Promise means "currently loading".
/******/ 				if(installedChunkData) {
/******/ 					promises.push(installedChunkData[1]);
/******/ 				} else {
/******/ 					if(true) { // all chunks have JS
/******/ 						// setup Promise in chunk cache
/******/ 						var promise = import("./" + __nccwpck_require__.u(chunkId)).then(installChunk, (e) => {
/******/ 							if(installedChunks[chunkId] !== 0) installedChunks[chunkId] = undefined;
/******/ 							throw e;
/******/ 						});
/******/ 						var promise = Promise.race([promise, new Promise((resolve) => (installedChunkData = installedChunks[chunkId] = [resolve]))])
/******/ 						promises.push(installedChunkData[1] = promise);
/******/ 					}
/******/ 				}
/******/ 			}
/******/ 	};
/******/ 	
/******/ 	// no prefetching
/******/ 	
/******/ 	// no preloaded
/******/ 	
/******/ 	// no external install chunk
/******/ 	
/******/ 	// no on chunks loaded
/******/ })();
/******/ 
/************************************************************************/
var __webpack_exports__ = {};

// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  eF: () => (/* binding */ run),
  Qf: () => (/* binding */ runCancel),
  VN: () => (/* binding */ runMain),
  a2: () => (/* binding */ runPost)
});

;// CONCATENATED MODULE: ./base/clock.js
function pause(clock, ms, ...signals) {
    return new Promise((resolve) => {
        if (signals.some(({ aborted }) => aborted)) {
            resolve();
            return;
        }
        const end = () => {
            stopTimer();
            for (const signal of signals)
                signal.removeEventListener('abort', end);
            resolve();
        };
        const stopTimer = clock.after(ms, end);
        for (const signal of signals)
            signal.addEventListener('abort', end);
    });
}
const TICK_MS = 1_000;
const SLEPT_MS = 30_000;
class AwakeTime {
    #clock;
    #readAt;
    #sleptMs = 0;
    constructor({ clock, host }) {
        this.#clock = clock;
        this.#readAt = clock.now();
        host.onTick(() => void this.now());
    }
    now() {
        const now = this.#clock.now();
        const lateMs = now - this.#readAt - TICK_MS;
        if (lateMs > SLEPT_MS)
            this.#sleptMs += lateMs;
        this.#readAt = now;
        return now - this.#sleptMs;
    }
}

// EXTERNAL MODULE: ./base/text.js
var base_text = __nccwpck_require__(440);
;// CONCATENATED MODULE: ./service/statuses.js

const FINAL_STATUSES = [
    'completed',
    'completed_with_warning',
    'failed',
    'cancelled',
    'timed_out',
    'skipped',
];
const CANCELLABLE_STATUSES = ['queued', 'picked', 'running'];
const WITHOUT_STATUS = ['unknown', 'not_queued'];
function isFinalStatus(status) {
    const all = FINAL_STATUSES;
    return all.includes(status);
}
function isCancellable(status) {
    const all = CANCELLABLE_STATUSES;
    return all.includes(status);
}
function isUnrecognized(status) {
    return !isFinalStatus(status) && !isCancellable(status);
}
function shownStatus(status) {
    if (!isUnrecognized(status) || status.startsWith('"'))
        return (0,base_text/* oneLine */.TN)(status, 60);
    return (0,base_text/* quoted */.TL)(status, 60);
}
function quotedStatus(status) {
    return isUnrecognized(status) ? shownStatus(status) : (0,base_text/* quoted */.TL)(status);
}

;// CONCATENATED MODULE: ./report/ending.js


const STATUS_MEANINGS = {
    completed: { level: 'none', lacksData: false },
    completed_with_warning: { level: 'warning', lacksData: true },
    failed: { level: 'none', lacksData: true },
    cancelled: { level: 'none', lacksData: true },
    timed_out: { level: 'none', lacksData: true },
    skipped: { level: 'notice', lacksData: true },
};
function meaningOf(status = '') {
    return isFinalStatus(status) ? STATUS_MEANINGS[status] : { level: 'none', lacksData: false };
}
function errorEnding(line, ...advice) {
    return { level: 'error', line, advice };
}
function sentencesOf({ line, advice }) {
    return [line, ...advice].map((text) => (0,base_text/* oneLine */.TN)(text, 2_000)).filter((text) => text !== '');
}
function textOf(ending) {
    return sentencesOf(ending).join(' ');
}

;// CONCATENATED MODULE: ./report/many.js
const MOST_AT_A_GLANCE = 8;
const MOST_ON_A_SCREEN = 20;

;// CONCATENATED MODULE: ./report/annotations.js



function titleOf(about, action = 'run-pipeline') {
    return about === undefined ? action : `${action}: ${(0,base_text/* oneLine */.TN)(about, 80)}`;
}
function print({ toolkit }, line) {
    toolkit.info((0,base_text/* withoutCommands */.Df)(line));
}
function annotate(world, endings, action) {
    const { toolkit } = world;
    const problems = urgentFirst(endings, ['error', 'warning']);
    const shown = problems.slice(0, problems.length > MOST_AT_A_GLANCE ? MOST_AT_A_GLANCE - 1 : MOST_AT_A_GLANCE);
    const hidden = problems.slice(shown.length);
    const notices = urgentFirst(endings, ['notice']);
    const shownNotices = notices.slice(0, MOST_AT_A_GLANCE - Math.min(problems.length, MOST_AT_A_GLANCE));
    const show = ({ level, about, ...ending }) => toolkit.annotate(level, sentencesOf({ level, ...ending }).join('\n'), titleOf(about, action));
    for (const ending of shown)
        show(ending);
    const [first] = hidden;
    if (first !== undefined) {
        const names = [...new Set(hidden.flatMap(({ about }) => about ?? []))];
        const which = names.length < 2 ? '' : ` (${(0,base_text/* listed */.KE)(names)})`;
        const may = hidden.some(({ rank }) => rank === 0) ? ' Some of these runs may still be running.' : '';
        const text = `${hidden.length} more problems need attention${which}.${may} See the log.`;
        toolkit.annotate(first.level, text, titleOf(`${hidden.length} more problems`, action));
    }
    for (const ending of shownNotices)
        show(ending);
    const quiet = endings.filter(({ level }) => level === 'none');
    for (const ending of [...hidden, ...notices.slice(shownNotices.length), ...quiet])
        print(world, textOf(ending));
}
function urgentFirst(endings, levels) {
    const placeOf = ({ level, rank = 1 }) => 3 * levels.indexOf(level) + rank;
    return levels
        .flatMap((level) => endings.filter((ending) => ending.level === level))
        .sort((a, b) => placeOf(a) - placeOf(b));
}

// EXTERNAL MODULE: ./base/duration.js
var duration = __nccwpck_require__(171);
;// CONCATENATED MODULE: ./run/plan.js
function isExisting({ pipeline }) {
    return pipeline === undefined;
}
function isResume({ pipeline, jobId }) {
    return pipeline !== undefined && jobId !== undefined;
}
function areExisting(targets) {
    return targets.length > 0 && targets.every(isExisting);
}
function isRetryable(status) {
    return status !== 'cancelled';
}
function isTooLateToRetry(leftMs, { retryDelayMs }) {
    return leftMs <= retryDelayMs;
}

;// CONCATENATED MODULE: ./run/state.js


const MEANING = {
    waiting: { run: 'none', post: 'reports', savedAs: 'not_queued' },
    not_queued: { run: 'none', post: 'reports', savedAs: 'not_queued' },
    dry_run: { run: 'none', post: 'reports', savedAs: undefined },
    triggering: { run: 'unconfirmed', post: 'waits', savedAs: 'triggering' },
    unknown: { run: 'unconfirmed', post: 'reports', savedAs: 'unknown' },
    in_progress: { run: 'open', post: 'takes over', savedAs: 'in_progress' },
    unsettled: { run: 'open', post: 'takes over', savedAs: 'in_progress' },
    lost: { run: 'given up', post: 'takes over if cancelled', savedAs: 'lost' },
    left: { run: 'given up', post: 'reports', savedAs: 'left' },
    detached: { run: 'detached', post: 'takes over if cancelled', savedAs: 'detached' },
    finished: { run: 'finished', post: 'reports', savedAs: 'finished' },
};
function planned(target) {
    return {
        target,
        phase: { at: 'waiting' },
        attempt: 1,
        earlier: [],
        isGiven: false,
        isSeen: false,
        isMissing: false,
        message: '',
        history: [],
        mayHaveTwin: false,
        isUnsaved: false,
    };
}
function resolved(pipeline) {
    return (run) => (run.pipeline?.id === pipeline.id && pipeline.name === '' ? run : { ...run, pipeline });
}
function triggering(now, wall, isSecond) {
    return (run) => ({
        ...run,
        phase: { at: 'triggering' },
        startedAt: run.startedAt ?? now,
        triggeredAt: isSecond ? (run.triggeredAt ?? wall) : wall,
        mayHaveTwin: isSecond,
    });
}
const postponed = (run) => ({ ...run, phase: { at: 'waiting' } });
function queued(jobId, now) {
    const history = [{ status: 'queued', at: now }];
    return (run) => {
        const problem = problemWith(run);
        const isLost = problem !== undefined && run.stop === undefined;
        const phase = isLost ? { at: 'lost', problem } : { at: 'in_progress' };
        const stop = run.stop?.problem === undefined ? run.stop : { ...run.stop, problem: undefined };
        return obey({ ...run, phase, jobId, status: 'queued', history, stop });
    };
}
function claimed(jobId, now) {
    return (run) => ({ ...run, phase: { at: 'in_progress' }, jobId, isGiven: true, startedAt: now });
}
function notQueued(problem) {
    return (run) => ({ ...run, phase: { at: 'not_queued', problem: problem ?? problemWith(run) } });
}
function unknown(problem) {
    return (run) => ({ ...run, phase: { at: 'unknown', problem } });
}
function seen({ status, message }, now) {
    return (run) => {
        if (run.phase.at === 'finished')
            return run;
        const isNew = status !== run.status;
        if (!isNew && run.isSeen && message === run.message)
            return run;
        const history = isNew ? [...run.history, { status, at: now }] : run.history;
        const next = { ...run, isSeen: true, isMissing: false, status, message, history };
        return isFinalStatus(status) ? { ...next, phase: { at: 'finished' }, endedAt: now } : next;
    };
}
const notResumed = ({ target, pipeline }) => ({ ...planned(target), pipeline });
const again = (run) => {
    const { target, pipeline, attempt, earlier } = run;
    return { ...planned(target), pipeline, attempt: attempt + 1, earlier: [...earlier, run] };
};
function stopped(stop) {
    return (run) => {
        if (run.stop !== undefined)
            return run;
        const mustCancel = stop.why === 'interruption' && stop.policy === 'cancel';
        if (run.phase.at === 'lost' && mustCancel)
            return obey({ ...run, phase: { at: 'in_progress' }, stop });
        return isStoppable(run) ? obey({ ...run, stop }) : run;
    };
}
function takenOver(stop) {
    return (run) => obey({ ...run, phase: { at: 'in_progress' }, stop: run.stop ?? stop });
}
function lost(problem) {
    return (run) => {
        const isWaiting = run.phase.at === 'in_progress' && run.stop === undefined;
        return isWaiting ? { ...run, phase: { at: 'lost', problem }, isMissing: isMissingAfter(run, problem) } : run;
    };
}
function abandoned(why) {
    const problem = { attempted: 'continue', cause: `internal error in this action (${why})`, remedy: base_text/* REPORT_BUG */.Uc };
    return (run) => {
        if (run.phase.at === 'waiting')
            return notQueued(problem)(run);
        if (run.phase.at === 'triggering')
            return { ...run, phase: { at: 'triggering', problem } };
        return run.stop === undefined ? lost(problem)(run) : unsettled(problem)(run);
    };
}
function unsettled(problem) {
    return (run) => isOpen(run) ? { ...run, phase: { at: 'unsettled', problem }, isMissing: isMissingAfter(run, problem) } : run;
}
function isMissingAfter(run, { isOfId = false }) {
    return run.isMissing || (isOfId && isUnread(run));
}
const detached = (run) => run.phase.at === 'in_progress' && run.stop === undefined ? { ...run, phase: { at: 'detached' } } : run;
function dryRunPassed(row) {
    return (run) => {
        const read = row && seen(row.job, row.now)({ ...run, jobId: run.target.jobId, isGiven: true });
        return { ...(read ?? run), phase: { at: 'dry_run' } };
    };
}
function obey(run) {
    return run.phase.at === 'in_progress' && run.stop?.policy === 'leave' ? { ...run, phase: { at: 'left' } } : run;
}
function nameOf({ pipeline, target }) {
    const names = [pipeline?.name, pipeline?.apiName, target.pipeline, pipeline?.id, target.jobId];
    const shown = names.map((name) => (0,base_text/* oneLine */.TN)(name ?? '', 80));
    return shown.find((name) => name !== '') ?? 'the unnamed pipeline';
}
function isStoppable({ phase }) {
    return phase.at === 'waiting' || phase.at === 'triggering' || phase.at === 'in_progress';
}
function partOfPost(run) {
    return MEANING[run.phase.at].post;
}
function savedPhase({ phase }) {
    return MEANING[phase.at].savedAs;
}
function isSavedPhase(at) {
    return Object.values(MEANING).some(({ savedAs }) => savedAs !== undefined && savedAs === at);
}
function isOpen({ phase }) {
    return MEANING[phase.at].run === 'open';
}
function isPending(run) {
    return ['waits', 'takes over'].includes(partOfPost(run));
}
function hasNoRun({ phase }) {
    return MEANING[phase.at].run === 'none';
}
function isUnconfirmed({ phase }) {
    return MEANING[phase.at].run === 'unconfirmed';
}
function mayContinue(run) {
    return ['unconfirmed', 'open', 'given up'].includes(MEANING[run.phase.at].run) && !wasNotFound(run);
}
function isUnread({ isGiven, isSeen }) {
    return isGiven && !isSeen;
}
function wasNotFound(run) {
    return run.isMissing && run.stop === undefined;
}
function wasLetGo({ phase }) {
    return ['given up', 'detached'].includes(MEANING[phase.at].run);
}
function problemWith({ phase }) {
    return 'problem' in phase ? phase.problem : undefined;
}
function isNewlyStopped(run, before) {
    return run.stop !== undefined && before.stop === undefined;
}
function isTimeout(stop) {
    return stop?.why === 'timeout' || stop?.why === 'queue_timeout';
}
function queuedSince({ history, status }) {
    return status === 'queued' ? (history.at(-1)?.at ?? Infinity) : Infinity;
}
function durationOf({ startedAt, endedAt }) {
    return startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
}
function lastKnown(run) {
    if (run.jobId !== undefined || isUnconfirmed(run))
        return run;
    return run.earlier.at(-1) ?? run;
}
function lastJobId({ earlier, jobId }) {
    return jobId ?? earlier.at(-1)?.jobId;
}

;// CONCATENATED MODULE: ./run/outcome.js



const OUTCOMES = [
    'unknown',
    'lost',
    'wait_timed_out',
    'failed',
    'cancelled',
    'not_triggered',
    'triggered',
    'dry_run',
    'succeeded',
];
const GOALS = ['dry_run', 'triggered', 'succeeded'];
function isGoal(outcome) {
    const goals = GOALS;
    return goals.includes(outcome);
}
function isAccepted({ status = '' }, { succeedOn }) {
    return succeedOn.includes(status);
}
function outcomeOf(run, plan) {
    const { phase, stop, earlier } = run;
    switch (phase.at) {
        case 'finished':
            if (stop !== undefined)
                return afterStop(stop);
            return isAccepted(run, plan) ? 'succeeded' : 'failed';
        case 'detached':
            return 'triggered';
        case 'dry_run':
        case 'lost':
            return phase.at;
        case 'triggering':
        case 'unknown':
            return 'unknown';
        case 'waiting':
        case 'not_queued':
            if (earlier.length > 0 && stop?.why !== 'interruption')
                return 'failed';
            return stop === undefined || stop.why === 'fail_fast' ? 'not_triggered' : afterStop(stop);
        case 'in_progress':
        case 'left':
        case 'unsettled':
            return stop === undefined ? 'lost' : afterStop(stop);
    }
}
function afterStop(stop) {
    return isTimeout(stop) ? 'wait_timed_out' : 'cancelled';
}
function barToRetry({ attempt, mayHaveTwin, status = '' }, { maxAttempts, retryOn }) {
    if (attempt >= maxAttempts)
        return 'attempts';
    if (mayHaveTwin)
        return 'twin';
    return retryOn.includes(status) ? undefined : 'status';
}
function statusOf(run) {
    if (!mayExist(run))
        return 'not_queued';
    return isUnconfirmed(run) ? 'unknown' : (lastKnown(run).status ?? 'unknown');
}
function worstOutcome(runs, plan) {
    const hasRuns = runs.some((run) => mayExist(run) && run.phase.at !== 'dry_run');
    const outcomes = runs.map((run) => (hasRuns && !mayExist(run) ? withoutRun(run).outcome : outcomeOf(run, plan)));
    return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'not_triggered';
}
const RANKS = {
    failed: 1,
    timed_out: 2,
    cancelled: 3,
    skipped: 4,
    completed_with_warning: 5,
    completed: 6,
};
function worstStatus(runs) {
    const existing = runs.filter(mayExist);
    if (existing.length === 0)
        return 'not_queued';
    const statuses = runs.map((run) => (mayExist(run) ? statusOf(run) : withoutRun(run).status));
    if (statuses.includes('unknown'))
        return 'unknown';
    const unfinished = statuses.find((status) => !isFinalStatus(status));
    const [worst = 'unknown'] = statuses.filter(isFinalStatus).toSorted((a, b) => RANKS[a] - RANKS[b]);
    return unfinished ?? worst;
}
function mayExist(run) {
    const { jobId, target } = lastKnown(run);
    return isUnconfirmed(run) || jobId !== undefined || isExisting(target);
}
function withoutRun(run) {
    const { stop } = run;
    if (problemWith(run) !== undefined || stop === undefined)
        return { outcome: 'failed', status: 'failed' };
    return { outcome: afterStop(stop), status: 'cancelled' };
}
function goalOf({ dryRun = false, wait = true, }) {
    if (dryRun)
        return 'dry_run';
    return wait ? 'succeeded' : 'triggered';
}
function isSuccess(runs, plan) {
    const isGood = (run) => ['succeeded', goalOf(plan)].includes(outcomeOf(run, plan)) && !postMayCancel(run, plan);
    return runs.length > 0 && runs.every(isGood);
}
function postMayLeave({ isUnsaved, stop }) {
    return isUnsaved && stop?.policy === 'cancel';
}
function postMayCancel(run, { onCancel }) {
    return run.isUnsaved && onCancel !== 'leave' && wasLetGo(run);
}

;// CONCATENATED MODULE: ./service/problem.js

function failureText(problem) {
    return (0,base_text/* sentence */.em)(`Could not ${(0,base_text/* oneLine */.TN)(problem.attempted)}: ${causeOf(problem)}`);
}
function causeOf({ cause }) {
    return (0,base_text/* oneLine */.TN)(cause, 1_000);
}
function noSuchRun(attempted) {
    return {
        attempted,
        call: 'read',
        cause: "this API key's workspace has no run with this id",
        remedy: "Check that the id is correct and that the API key belongs to the run's workspace.",
        isOfId: true,
    };
}
const ATTEMPTED = {
    exchange: 'exchange the API key for a token',
    list: 'list the pipelines',
    trigger: 'trigger the run',
    read: "read the run's status",
    cancel: 'cancel the run',
};
function problemOf(call, cause, remedy) {
    return { attempted: ATTEMPTED[call], call, cause, remedy };
}
function proxyLoginRemedy({ hasProxyLogin, host }) {
    return hasProxyLogin
        ? 'The proxy rejected the credentials in https_proxy on the runner. Check them, and percent-encode special characters (%40 for @).'
        : `The proxy requires credentials. Add them to https_proxy on the runner, or add ${host} to no_proxy.`;
}
const KEY_REMEDY = 'The API key is wrong or was revoked. Check base-url and the secret that contains the API key. Create a new key (Settings → API Keys) only if the old one was revoked or lost.';
const USE_UUIDS = "Use UUIDs instead of names. A pipeline's UUID is in the URL of its page.";
const TOO_MANY_FILES = "Raise the runner's limit on open files (ulimit -n), or run fewer jobs on that machine at the same time.";

;// CONCATENATED MODULE: ./report/names.js




function nameAndId(run) {
    const name = nameOf(run);
    const id = run.pipeline?.id ?? name;
    return id === name.toLowerCase() ? name : `${name} (${id})`;
}
function runOf(run) {
    const { isGiven, jobId, target } = run;
    if (isGiven || isExisting(target))
        return `run ${jobId ?? target.jobId}`;
    return `run ${jobId} of ${nameOf(run)}`;
}
function linkTo({ jobId, pipeline }, template) {
    if (template === '' || jobId === undefined)
        return '';
    if (pipeline === undefined && template.includes('{pipeline-id}'))
        return '';
    return new URL(template.replaceAll('{job-id}', jobId).replaceAll('{pipeline-id}', pipeline?.id ?? '')).href;
}
const VERBS = {
    queued: 'is queued',
    picked: 'was picked up by an agent',
    running: 'is running',
    completed: 'completed',
    completed_with_warning: 'completed with warnings',
    failed: 'failed',
    cancelled: 'was cancelled',
    timed_out: "exceeded the service's time limit",
    skipped: 'was skipped',
};
function statusWords({ status = '' }) {
    if (isCancellable(status) || isFinalStatus(status))
        return VERBS[status];
    return `has the status ${shownStatus(status)}`;
}
const LONGEST_SAID = 500;
function saidBy({ message }) {
    const said = (0,base_text/* oneLine */.TN)(message, LONGEST_SAID);
    return said === '' ? '' : `: ${said}`;
}

;// CONCATENATED MODULE: ./report/stopped.js





const NEEDS_MORE_TIME = 'If the run needs more time, set a longer timeout.';
const STOPS = {
    interruption: { level: 'notice', reason: (by) => `Step interrupted (${by})` },
    timeout: { level: 'error', reason: (time) => `Step timed out after ${time}`, remedy: NEEDS_MORE_TIME },
    queue_timeout: {
        level: 'error',
        reason: (time) => `The queue timeout expired after ${time}`,
        remedy: 'No agent picked up the run in that time. Check that an agent is running and free, or set a longer queue-timeout.',
    },
    fail_fast: { level: 'error', reason: (which) => `Step stopped by fail-fast (${which} did not succeed)` },
    main_gone: { level: 'warning', reason: () => 'The step ended early' },
    job_cancelled: { level: 'none', reason: () => 'Job cancelled' },
};
const NO_AGENT = 'When the timeout expired, no agent had picked up the run. Check that an agent is running and free.';
const AGENT_CAME_LATE = 'An agent picked up the run only after the queue timeout had expired. Check that enough agents are running, or set a longer queue-timeout.';
const AGENT_MAY_BE_BUSY = 'When the timeout expired, no agent had picked up the run. Another run of the pipeline may be keeping the agent busy.';
function reasonOf({ why, detail }) {
    return STOPS[why].reason((0,base_text/* oneLine */.TN)(detail, 80));
}
function policyOf(stop, { wait }) {
    if (isTimeout(stop))
        return wait === false ? '' : ' (on-timeout: leave)';
    return ' (on-cancel: leave)';
}
function stoppedEnding(run, what, advice) {
    const { stop } = run;
    if (stop === undefined)
        return errorEnding((0,base_text/* sentence */.em)((0,base_text/* capitalized */.l2)(what)), ...advice);
    const { problem, why } = stop;
    const { level } = STOPS[why];
    const line = (0,base_text/* sentence */.em)(`${reasonOf(stop)}: ${what}`);
    if (problem === undefined)
        return { level, line, advice: [...advice, remedyOf(run, stop)] };
    const cause = causeOf(problem);
    const before = what.includes(cause)
        ? ''
        : ` ${(0,base_text/* sentence */.em)(`When the timeout expired, the step could not ${(0,base_text/* oneLine */.TN)(problem.attempted)}: ${cause}`)}`;
    const { remedy = '' } = problem;
    const isRepeated = advice.some((each) => each.startsWith(remedy));
    return { level, line: `${line}${before}`, advice: isRepeated ? advice : [...advice, remedy] };
}
function remedyOf(run, stop) {
    const { remedy = '' } = STOPS[stop.why];
    if (isUnrecognized(lastUnfinished(run)?.status ?? 'queued'))
        return '';
    switch (stop.why) {
        case 'queue_timeout':
            if (hasAgent(run))
                return AGENT_CAME_LATE;
            return run.mayHaveTwin ? AGENT_MAY_BE_BUSY : remedy;
        case 'timeout':
            if (hasNoRun(run))
                return 'Set a longer timeout.';
            if (!wasQueued(run, stop))
                return remedy;
            return run.mayHaveTwin ? AGENT_MAY_BE_BUSY : NO_AGENT;
        default:
            return remedy;
    }
}
function wasQueued(run, { at }) {
    const last = lastUnfinished(run);
    return last?.status === 'queued' && last.at <= at && !hasAgent(run);
}
function hasAgent({ history, stop }) {
    const since = stop?.why === 'queue_timeout' ? stop.at : -Infinity;
    return history.some(({ at, status }) => at >= since && status !== 'queued' && isCancellable(status));
}
function lastUnfinished({ history }) {
    return history.findLast(({ status }) => !isFinalStatus(status));
}

;// CONCATENATED MODULE: ./report/tables.js



function withTables(ending, run, { resetTarget }, isPost) {
    if (!resetTarget)
        return ending;
    const warned = (until) => ({ ...ending, line: `${ending.line} ${tablesIncomplete(until)}` });
    const isLetGo = wasLetGo(run) && (isPost || run.phase.at !== 'detached');
    if (isLetGo)
        return warned('this run has completed');
    if (mayContinue(run))
        return warned(A_FULL_RESYNC);
    const hasBegun = run.phase.at === 'finished' && mayHaveBegun(run, isPost);
    if (!hasBegun || !meaningOf(run.status).lacksData)
        return ending;
    const others = ending.advice.filter((each) => each !== NEEDS_MORE_TIME);
    const timeout = others.length < ending.advice.length ? ' and a longer timeout' : '';
    const load = `To restore the tables, run the pipeline with full-resync: true${timeout}, but without reset-target.`;
    const level = ending.level === 'error' ? 'error' : 'warning';
    return { ...warned(A_FULL_RESYNC), level, advice: [...others, NO_OTHER_RESET, load] };
}
const A_FULL_RESYNC = 'a full resync has completed';
const NO_OTHER_RESET = 'Do not re-run this job, because a re-run would drop the tables again.';
function tablesIncomplete(until) {
    return `Because reset-target is true, the destination tables may be missing or incomplete until ${until}.`;
}
const TABLES_INCOMPLETE = tablesIncomplete(A_FULL_RESYNC);
const CANCELLED_IN_QUEUE_MS = 2_000;
function mayHaveBegun(run, isPost) {
    const { endedAt = Infinity, status, stop } = run;
    if (stop?.why !== 'queue_timeout')
        return true;
    return isPost || hasAgent(run) || status !== 'cancelled' || endedAt - stop.at > CANCELLED_IN_QUEUE_MS;
}

;// CONCATENATED MODULE: ./report/endings.js











function endingOf(run, context, isPost = false) {
    const own = withTables(endingOfPhase(run, context, isPost), run, context, isPost);
    const unrecognized = unrecognizedStatusOf(run);
    const shown = shownStatus(unrecognized ?? '');
    const which = own.line.includes(shown) ? 'this status' : `the status ${shown}`;
    const update = unrecognized === undefined ? '' : ` This version of the action does not recognize ${which}. Update the action.`;
    const rank = mayContinue(run) ? 0 : run.stop?.why === 'fail_fast' ? 2 : 1;
    const described = { ...own, line: own.line + update, about: nameOf(run), rank };
    const ending = postMayCancel(run, context)
        ? { ...described, level: 'error', advice: [POST_MAY_CANCEL, ...described.advice] }
        : described;
    if (!hasPossibleTwin(run))
        return ending;
    return {
        ...ending,
        rank: 0,
        level: ending.level === 'error' ? 'error' : 'warning',
        line: `${ending.line} The service did not confirm every trigger, so other runs of ${nameOf(run)} may exist.`,
        advice: ["Check the pipeline's runs in the application, and cancel any that you do not need.", ...ending.advice],
    };
}
function hasPossibleTwin(run) {
    return run.mayHaveTwin && !isUnconfirmed(run);
}
function endingOfPhase(run, context, isPost) {
    const { phase, stop } = run;
    const problem = problemWith(run);
    switch (phase.at) {
        case 'finished':
            return stop === undefined ? finishedEnding(run, context) : finishedAfterStopEnding(run, isPost);
        case 'waiting':
        case 'not_queued':
            return notQueuedEnding(run, context, problem);
        case 'triggering':
        case 'unknown':
            return unconfirmedEnding(run, context, problem, isPost);
        case 'lost':
            return lostEnding(run, context, phase.problem);
        case 'left':
            return leftEnding(run, context);
        case 'detached':
            return detachedEnding(run, context, isPost);
        case 'in_progress':
        case 'unsettled':
            return unsettledEnding(run, context, problem, isPost);
        case 'dry_run':
            return dryRunEnding(run, context);
    }
}
function finishedEnding(run, context) {
    const { attempt, isGiven, status = '' } = run;
    const tookMs = isGiven ? undefined : durationOf(run);
    const after = tookMs === undefined ? '' : ` after ${(0,duration/* formatDuration */.a3)(tookMs)}`;
    const isSuccess = isAccepted(run, context);
    const isNumbered = attempt > 1 || (!isSuccess && (context.maxAttempts ?? 1) > 1);
    const which = isNumbered ? `${runOf(run)} (${attemptOf(run, context)})` : runOf(run);
    const line = (0,base_text/* sentence */.em)((0,base_text/* capitalized */.l2)(`${which} ${statusWords(run)}${after}${saidBy(run)}`));
    const isLate = status === 'completed' && attempt > 1;
    if (isSuccess)
        return { level: isLate ? 'notice' : meaningOf(status).level, line, advice: [] };
    const only = hasPossibleTwin(run) ? '' : runOnly(context);
    const again = context.resetTarget || only !== '' ? '' : ' Then run the pipeline again.';
    const accepted = `The step failed because succeed-on contains only ${(0,base_text/* listed */.KE)(context.succeedOn.map(quotedStatus))}.`;
    const advice = {
        failed: `Open the run's log in the application, and fix the cause.${again}`,
        timed_out: `If the run needs more time, raise the time limit in the service.${again}`,
        cancelled: `${accepted} In the application, check who cancelled the run.`,
    };
    return errorEnding(`${line}${whyNoRetry(run, context)}`, advice[status] ?? accepted, context.resetTarget ? '' : only);
}
function attemptOf({ attempt }, { maxAttempts }) {
    return `attempt ${attempt}${maxAttempts === undefined ? '' : ` of ${maxAttempts}`}`;
}
function whyNoRetry(run, { maxAttempts = 1, retryOn = [], timeoutMs = Infinity }) {
    const { status = '' } = run;
    switch (barToRetry(run, { maxAttempts, retryOn })) {
        case 'attempts':
            return '';
        case 'twin':
            return ' The step did not retry this run.';
        case 'status':
            return isRetryable(status)
                ? ` The step did not retry this run, because retry-on does not contain ${quotedStatus(status)}.`
                : ` The step never retries a ${status} run.`;
        case undefined:
            if (timeoutMs === Infinity)
                return '';
            return ` The step did not retry this run, because the timeout (${(0,duration/* formatDuration */.a3)(timeoutMs)}) would have expired before another attempt could start.`;
    }
}
function finishedAfterStopEnding(run, isPost) {
    const isCancelled = run.status === 'cancelled';
    const how = isCancelled ? 'was cancelled' : `${statusWords(run)} before the step could cancel it${saidBy(run)}`;
    const advice = isCancelled && hasAgent(run) ? ['The agent stops working on the run at its next heartbeat.'] : [];
    const ending = stoppedEnding(run, `${runOf(run)} ${how}`, advice);
    return isPost ? { ...ending, level: 'none' } : ending;
}
function notQueuedEnding(run, context, problem) {
    const { earlier, stop } = run;
    const last = lastKnown(run);
    const result = earlier.length > 0 ? (0,base_text/* sentence */.em)((0,base_text/* capitalized */.l2)(`${runOf(last)} ${statusWords(last)}${saidBy(last)}`)) : '';
    const what = notTriggered(run, context, problem);
    if (problem !== undefined) {
        const line = withCause(what, problem, isOfCheck(problem) || problem.call === 'trigger');
        return errorEnding(`${result} ${(0,base_text/* capitalized */.l2)(line)}`.trim(), ...adviceOf(problem, context));
    }
    if (stop !== undefined)
        return stoppedEnding(run, result === '' ? what : `${what}. ${result}`, []);
    const line = `${(0,base_text/* capitalized */.l2)(what)} because another entry in the pipeline input is invalid.`;
    return { level: 'none', line, advice: [] };
}
function notTriggered(run, context, problem) {
    const { attempt, earlier, stop, target } = run;
    if (earlier.length > 0)
        return `${attemptOf(run, context)} did not start`;
    if (attempt > 1)
        return `${attemptOf(run, context)} for ${nameOf(run)} did not start`;
    const isCheck = isExisting(target) || (problem !== undefined && isOfCheck(problem));
    if (isCheck)
        return `the step ${stop === undefined ? 'could not read' : 'did not check'} the status of run ${target.jobId}`;
    if (context.dryRun === true)
        return problem === undefined ? `the dry run did not check ${nameOf(run)}` : DRY_RUN_FAILED;
    return `no run of ${nameOf(run)} was triggered`;
}
const DRY_RUN_FAILED = 'the dry run failed';
function isOfCheck({ call }) {
    return call === 'read';
}
function withCause(what, problem, isKnown) {
    return `${what}${isKnown ? `: ${(0,base_text/* sentence */.em)(causeOf(problem))}` : `. ${failureText(problem)}`}`;
}
function unconfirmedEnding(run, context, problem, isPost) {
    const { attempt, mayHaveTwin, triggeredAt } = run;
    const nth = attempt > 1 ? ` (${attemptOf(run, context)})` : '';
    const at = triggeredAt === undefined ? '' : ` at ${(0,duration/* isoTime */.Ly)(triggeredAt)}`;
    const why = problem !== undefined
        ? `The service did not confirm the trigger: ${causeOf(problem)}`
        : isPost
            ?
                'The step did not record a response to the trigger'
            : 'The step ended before the response to the trigger arrived';
    const unknownId = mayHaveTwin
        ? 'Because on-lost-response is retry, the step may have triggered more than one run. It does not know their ids, so it cannot cancel them.'
        : "The step does not know the run's id, so it cannot cancel the run.";
    return errorEnding((0,base_text/* sentence */.em)(`The step may have triggered a run of ${nameOf(run)}${nth}${at}. ${why}`), unknownId, `Check the pipeline's runs in the application. ${ifUnconfirmed(run, context, isPost)}`.trimEnd(), problem?.remedy ?? '', runOnly(context));
}
function ifUnconfirmed({ target }, { areSeveral = false, resetTarget, rest = [] }, isPost) {
    if (areSeveral && target.pipeline !== undefined) {
        if (isPost)
            return '';
        const name = (0,base_text/* quoted */.TL)(target.pipeline, 80);
        return rest.length > 0
            ? `If the application shows no new run within a few minutes, also list ${name} when you retry.`
            : `If the application shows no new run within a few minutes, start a new workflow run with only ${name} in the pipeline input.`;
    }
    return `Re-running this job would trigger another run${resetTarget ? ' and drop the tables again' : ''}.`;
}
function lostEnding(run, context, problem) {
    if (isUnread(run)) {
        const isResumed = isResume(run.target);
        const isUnreachable = isOfCheck(problem) || problem.call === 'exchange';
        return errorEnding(run.isMissing
            ? failureText({ ...problem, attempted: `find ${runOf(run)}` })
            : withCause(`The step ${isUnreachable ? 'could not read' : 'did not check'} the status of ${runOf(run)}`, problem, isOfCheck(problem)), isResumed ? 'The run may still be running, so the step did not trigger another one.' : '', ...adviceOf(problem, context), isResumed && isUnreachable ? 'To trigger a new run anyway, remove the job-id input.' : '');
    }
    return errorEnding(`Lost contact with ${runOf(run)}. ${failureText(problem)}`, 'The run was not cancelled and may still be running.', problem.remedy ?? '', howToContinue(run, context));
}
const POST_MAY_CANCEL = 'The step could not record that this run should continue, so the post step may cancel the run at the end of the job.';
function leftEnding(run, context) {
    const policy = run.stop === undefined ? '' : policyOf(run.stop, context);
    const what = `${runOf(run)} was not cancelled${policy}`;
    return stoppedEnding(run, what, [howToContinue(run, context)]);
}
function detachedEnding(run, context, isPost) {
    const status = run.status === undefined ? '' : ` (status: ${shownStatus(run.status)})`;
    const [has, is] = isPost ? ['had', 'was'] : ['has', 'is'];
    const what = (0,base_text/* capitalized */.l2)(`${runOf(run)} ${run.isGiven ? `${has} not finished${status}` : `${is} queued`}`);
    const reach = isPost || run.isUnsaved || context.onCancel === 'leave'
        ? ''
        : ' On GitHub, cancelling the workflow before this job ends also cancels the run.';
    const line = `${what}. The step does not wait for it (wait: false).${reach}`;
    return { level: 'none', line, advice: [] };
}
function unsettledEnding(run, context, problem, isPost) {
    const { resetTarget } = context;
    if (problem !== undefined && wasNotFound(run))
        return errorEnding(failureText({ ...problem, attempted: `cancel ${runOf(run)}` }), problem.remedy ?? '');
    const next = postMayLeave(run)
        ? 'The step could not record everything that the post step needs to cancel the run, so the post step may let the run continue. Check the run in the application, and cancel it there.'
        : isPost || run.stop === undefined
            ? `Check the run in the application, and ${resetTarget ? 'let it finish. Cancelling it would not restore the tables.' : 'cancel it there.'}`
            : 'The post step will try to cancel the run again at the end of the job.';
    const what = `${runOf(run)} may still be running`;
    const failed = `${what}. Could not confirm its cancellation`;
    const line = problem === undefined ? failed : withCause(failed, problem, problem.call === 'cancel' || isOfCheck(problem));
    return { ...stoppedEnding(run, line, [problem?.remedy ?? '', next]), level: 'error' };
}
function dryRunEnding(run, context) {
    const { status = '', target } = run;
    const existing = `run ${target.jobId}`;
    const trigger = `trigger a run of ${nameAndId(run)}${context.resetTarget ? ', which would first drop the destination tables' : ''}`;
    const found = (line) => ({ level: 'none', line: (0,base_text/* sentence */.em)(line), advice: [] });
    if (target.jobId === undefined)
        return found(`The step would ${trigger}`);
    const isResumed = isResume(target);
    const instead = isResumed ? 'Instead of triggering a run, the' : 'The';
    if (!isFinalStatus(status))
        return found(`${instead} step would wait for ${existing}, which ${statusWords(run)}${saidBy(run)}`);
    const isGood = isAccepted(run, context);
    const then = isGood ? `succeed${isResumed ? ' without triggering a run' : ''}` : isResumed ? trigger : 'fail';
    return found(`${(0,base_text/* capitalized */.l2)(existing)} ${statusWords(run)}, so the step would ${then}`);
}
function unrecognizedStatusOf(run) {
    if (run.phase.at === 'finished')
        return undefined;
    const last = lastUnfinished(run)?.status;
    return last !== undefined && isUnrecognized(last) ? last : undefined;
}
function howToContinue({ isGiven, jobId }, { fullResync = false, resetTarget, wait = true }) {
    if (isGiven)
        return `To keep waiting for this run, start a new workflow run with job-id set to ${jobId}${resetTarget ? ' and without reset-target' : ''}. Re-running this job would also repeat any step of it that triggers a run.`;
    const inputs = [
        'pipeline',
        ...(fullResync || resetTarget ? ['full-resync'] : []),
        ...(resetTarget ? ['reset-target'] : []),
        ...(wait ? [] : ['wait']),
    ];
    const which = `the ${(0,base_text/* listed */.KE)(inputs)} input${inputs.length > 1 ? 's' : ''}`;
    const again = resetTarget ? ' and drop the tables again' : '';
    return `To ${wait ? 'keep waiting' : 'wait'} for this run, set job-id to ${jobId}, remove ${which}, and start a new workflow run. Re-running this job would trigger a second run${again}.`;
}
function adviceOf({ call, remedy }, context) {
    const only = runOnly(context);
    const next = call === 'exchange' ? ' If it persists, check base-url.' : only === '' ? ' Try again later.' : '';
    return [remedy ?? `The problem may be temporary.${next}`, only];
}
function runOnly({ rest = [] }) {
    if (rest.length === 0)
        return '';
    const which = rest.length > base_text/* MOST_LISTED */.cC
        ? `the ${rest.length} pipelines at the end of the log`
        : (0,base_text/* listed */.KE)(rest.map((name) => (0,base_text/* quoted */.TL)(name, 80)));
    return `To retry, start a new workflow run with only ${which} in the pipeline input. Do not list the other pipelines, because their runs succeeded or may still be running.`;
}

;// CONCATENATED MODULE: ./run/patience.js




const WITHOUT_TOKEN_MS = 60_000;
const LOST_AFTER_REJECTIONS = 3;
const BASE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
function pauseAfter(random, tried, { retryAfterMs = 0 }, baseMs = BASE_MS) {
    return Math.max(Math.min(baseMs / 4 + random() * baseMs * 2 ** tried, LONGEST_PAUSE_MS), retryAfterMs);
}
class Patience {
    #shared;
    constructor(parts) {
        this.#shared = { parts, outages: new Map(), failing: new Set(), hasToken: false };
    }
    get isFailing() {
        return this.#failing().length > 0;
    }
    hindranceOf(run) {
        return this.#failing().find((request) => request.call !== 'read' || request.run === run)?.problem;
    }
    #failing() {
        return [...this.#shared.failing].filter(({ run }) => run === undefined || isStoppable(run.state));
    }
    begin(call, run) {
        return new PatientRequest(this.#shared, call, run);
    }
    async repeat(call, send, signal) {
        const request = this.begin(call);
        while (true) {
            const result = await send({ signal });
            if (!isFailed(result)) {
                if (result.kind !== 'aborted')
                    request.succeeded();
                return result;
            }
            const { givesUp, pauseMs, problem } = request.failed(result);
            if (givesUp)
                return { ...result, problem };
            await pause(this.#shared.parts.clock, pauseMs, signal);
        }
    }
}
const FAILED = {
    not_processed: true,
    maybe_processed: true,
    rejected: true,
    key_invalid: true,
};
function isFailed(result) {
    return Object.hasOwn(FAILED, result.kind);
}
class PatientRequest {
    call;
    run;
    #shared;
    #problem;
    #failures = 0;
    #rejections = 0;
    #missing = 0;
    constructor(shared, call, run) {
        this.#shared = shared;
        this.call = call;
        this.run = run;
        const { outages, parts } = shared;
        for (const key of [this.#key(), 'exchange'])
            if (parts.time.now() - (outages.get(key)?.lastAt ?? Infinity) > parts.plan.maxOutageMs)
                outages.delete(key);
    }
    get problem() {
        return this.#problem;
    }
    succeeded() {
        const { failing, outages, parts } = this.#shared;
        this.#problem = undefined;
        this.#failures = 0;
        this.#rejections = 0;
        failing.delete(this);
        this.#shared.hasToken = true;
        const since = [this.#key(), 'exchange'].flatMap((key) => outages.get(key)?.since ?? []);
        outages.delete(this.#key());
        outages.delete('exchange');
        const forMs = parts.time.now() - Math.min(...since);
        if (since.length > 0)
            parts.observer.note(`The service is responding again after ${(0,duration/* formatDuration */.a3)(forMs)}.`, this.run);
    }
    failed(failure) {
        const { failing, outages, parts } = this.#shared;
        const { problem } = failure;
        const { remark = '', retryAfterMs = 0 } = failure;
        const pauses = { pauseMs: pauseAfter(parts.random, this.#failures, failure), retryAfterMs };
        const giveUp = (cause = problem.cause) => {
            failing.delete(this);
            const isOfId = problem.isOfId === true && this.#missing >= LOST_AFTER_REJECTIONS;
            return { givesUp: true, problem: { ...problem, cause, isOfId }, ...pauses };
        };
        const { call = this.call } = problem;
        if (call !== 'exchange') {
            this.#shared.hasToken = true;
            outages.delete('exchange');
        }
        if (this.call !== 'read' && isFinalForTrigger(failure)) {
            if (failure.kind === 'rejected')
                outages.delete(this.#key());
            return giveUp();
        }
        this.#count(failure);
        if (this.#rejections >= LOST_AFTER_REJECTIONS || failure.kind === 'key_invalid')
            return giveUp();
        const { forMs, isLong, limitMs, outage, rule } = this.#measure(call, failure);
        if (isLong && this.#failures > 1)
            return giveUp(`${problem.cause}; no valid response for ${(0,duration/* formatDuration */.a3)(forMs)}${rule}`);
        const limit = this.#rejections > 0 ? this.#limitOfRejections(forMs) : this.#wordsOf(limitMs);
        this.#note(problem, limit, remark, outage, call === 'exchange' ? undefined : this.run);
        return { givesUp: false, problem: { ...problem, isOfId: false }, ...pauses };
    }
    #measure(call, failure) {
        const { outages, parts } = this.#shared;
        const { maxOutageMs } = parts.plan;
        const now = parts.time.now();
        const outage = outages.get(this.#key(call)) ?? { since: now, lastAt: now, shortSince: Infinity, noted: new Set() };
        outage.lastAt = now;
        outages.set(this.#key(call), outage);
        const limitMs = Math.min(this.#limitOf(failure), maxOutageMs);
        outage.shortSince = limitMs < maxOutageMs ? Math.min(outage.shortSince, now) : Infinity;
        const forMs = now - Math.min(outage.since, outages.get(this.#key())?.since ?? Infinity);
        const isLongest = forMs >= maxOutageMs;
        const isLong = isLongest || now - outage.shortSince >= limitMs;
        return { forMs, isLong, limitMs, outage, rule: isLongest ? ' (max-outage)' : '' };
    }
    #count({ kind, problem }) {
        this.#failures += 1;
        this.#problem = problem;
        this.#shared.failing.add(this);
        this.#rejections = kind === 'rejected' ? this.#rejections + 1 : 0;
        this.#missing = problem.isOfId === true ? this.#missing + 1 : 0;
    }
    #note(problem, limit, remark, { noted }, run) {
        if (noted.has(problem.cause) && noted.has(limit))
            return;
        const sentences = [failureText(problem), noted.has(limit) ? '' : limit, remark];
        noted.add(problem.cause).add(limit);
        this.#shared.parts.observer.note(sentences.join(' '), run);
    }
    #key(call = this.call) {
        return call === 'read' ? `read ${this.run?.number}` : call;
    }
    #limitOf({ isBusy = false, longestMs = Infinity }) {
        if (!this.#shared.hasToken && !isBusy)
            return WITHOUT_TOKEN_MS;
        return longestMs;
    }
    #wordsOf(limitMs) {
        const { maxOutageMs } = this.#shared.parts.plan;
        const rule = limitMs < maxOutageMs ? '' : ' (max-outage)';
        const what = this.call === 'read' ? 'The step will keep checking the status' : 'The step will retry';
        return `${what} for up to ${(0,duration/* formatDuration */.a3)(limitMs)}${rule}.`;
    }
    #limitOfRejections(forMs) {
        const { maxOutageMs, pollIntervalMs } = this.#shared.parts.plan;
        const left = LOST_AFTER_REJECTIONS - this.#rejections;
        const isSooner = forMs + left * pollIntervalMs > maxOutageMs;
        const limit = `It also stops waiting after ${(0,duration/* formatDuration */.a3)(maxOutageMs)} without a valid response (max-outage).`;
        const count = `The step stops waiting after ${LOST_AFTER_REJECTIONS} such responses in a row. This was response ${this.#rejections} of ${LOST_AFTER_REJECTIONS}.`;
        return isSooner ? `${count} ${limit}` : count;
    }
}
function isFinalForTrigger(failure) {
    return failure.kind === 'rejected' || failure.kind === 'key_invalid' || failure.isFinal === true;
}

;// CONCATENATED MODULE: ./run/reads.js
const MIN_POLL_INTERVAL_MS = 30_000;
const FEW_RUNS = 12;
const MOST_EARLY = 3;
class Reads {
    #lastAt = -Infinity;
    #early = 0;
    note(now) {
        this.#lastAt = now;
    }
    untilDueMs(now, intervalMs) {
        return this.#lastAt + intervalMs - now;
    }
    mayConfirm(now, intervalMs) {
        if (this.untilDueMs(now, Math.min(intervalMs, MIN_POLL_INTERVAL_MS)) <= 0)
            return true;
        if (this.#early >= MOST_EARLY)
            return false;
        this.#early += 1;
        return true;
    }
}

;// CONCATENATED MODULE: ./run/settle.js






const SETTLES_WITHIN_MS = 60_000;
const NEXT_AFTER_MS = 10_000;
const HURRIED_NEXT_AFTER_MS = 2_000;
const SHORTEST_TRY_MS = 500;
const MOST_MISSING = 3;
const MISSING_FOR_MS = 15_000;
const settle_BASE_MS = 400;
async function settleRun(run, parts, limits) {
    const { clock, random, interruption, ledger, time } = parts;
    const tries = new Tries(run, parts, limits);
    const { requests } = tries;
    const until = time.now() + limits.withinMs;
    const untilEndMs = () => Math.min(until - time.now(), (interruption.first?.endsBy ?? Infinity) - clock.now());
    const leftMs = () => {
        const ms = untilEndMs();
        if (ms > 0)
            return ms;
        interruption.detect();
        return untilEndMs();
    };
    ledger.apply(run, unsettled(NO_TIME));
    for (let tried = 0; isOpen(run.state) && !tries.cannotSucceed && leftMs() > 0; tried += 1) {
        const { endsBy = Infinity } = interruption.first ?? {};
        const isHurried = endsBy < Infinity;
        const nextAfterMs = isHurried ? HURRIED_NEXT_AFTER_MS : NEXT_AFTER_MS;
        const wake = interruption.signal.aborted ? [requests] : [requests, interruption.signal];
        if (tried > 0 && leftMs() < SHORTEST_TRY_MS) {
            await pause(clock, leftMs(), ...wake);
            continue;
        }
        const mayOverlap = ledger.runs.length <= FEW_RUNS;
        const last = await Promise.race([
            tries.make(mayOverlap ? leftMs() : Math.min(nextAfterMs, leftMs()), nextAfterMs),
            pause(clock, Math.min(nextAfterMs, leftMs()), ...wake).then(() => undefined),
        ]);
        const pauseMs = last ? pauseAfter(random, Math.min(tried, isHurried ? 1 : 4), isHurried ? {} : last, settle_BASE_MS) : 0;
        await pause(clock, Math.min(pauseMs, leftMs()), ...wake);
    }
    tries.endRequests();
}
class Tries {
    #run;
    #parts;
    #limits;
    #requests = new AbortController();
    #mayNotExist;
    #isKeyRefused = false;
    #missing = [];
    #reading = 0;
    #hasRead = false;
    constructor(run, parts, limits) {
        this.#run = run;
        this.#parts = parts;
        this.#limits = limits;
        this.#mayNotExist = limits.mayNotExist === true || run.state.isMissing;
    }
    get requests() {
        return this.#requests.signal;
    }
    get cannotSucceed() {
        return (this.#limits.endsWithKey === true && this.#isKeyRefused) || this.#isNotFound;
    }
    get #isNotFound() {
        const [first = 0, last = first] = [this.#missing.at(0), this.#missing.at(-1)];
        return this.#mayNotExist && this.#missing.length >= MOST_MISSING && last - first >= MISSING_FOR_MS;
    }
    async make(withinMs, nextAfterMs) {
        const { jobId = '' } = this.#run.state;
        const { clock, service } = this.#parts;
        const until = clock.now() + withinMs;
        const options = { signal: this.requests, withinMs, shareMs: nextAfterMs };
        const cancelling = service.cancel(jobId, options).then((result) => {
            this.#note(result);
            return result;
        });
        const overdue = pause(clock, nextAfterMs / 2, this.requests).then(() => undefined);
        const cancelled = await Promise.race([cancelling, overdue]);
        const isUnclear = cancelled === undefined || ['none', 'job', 'maybe_processed'].includes(cancelled.kind);
        if (this.requests.aborted || !isUnclear || clock.now() >= until || !this.#mayRead())
            return cancelling;
        const readAt = clock.now();
        this.#reading += 1;
        const row = await service.read(jobId, options);
        this.#reading -= 1;
        this.#hasRead = true;
        const isMissing = (cancel) => row.kind === 'none' && cancel.kind === 'none';
        if (cancelled !== undefined && isMissing(cancelled))
            this.#missing.push(readAt);
        this.#note(row);
        if (cancelled !== undefined)
            return row;
        const late = await cancelling;
        if (isMissing(late)) {
            this.#missing.push(readAt);
            this.#note(row);
        }
        return late;
    }
    endRequests() {
        this.#requests.abort();
    }
    #note(result) {
        const { clock, ledger } = this.#parts;
        if (result.kind === 'aborted')
            return;
        if (result.kind === 'job') {
            this.#mayNotExist = false;
            ledger.apply(this.#run, seen(result.job, clock.now()));
        }
        this.#isKeyRefused ||= result.kind === 'key_invalid';
        const { state } = this.#run;
        if (state.phase.at === 'finished') {
            this.endRequests();
            return;
        }
        const isUnfound = state.stop === undefined ? this.#isNotFound : this.#missing.length > 0;
        const isWrongId = isUnread(state) && isUnfound && result.kind === 'none';
        const problem = isWrongId
            ? { ...noSuchRun('confirm the cancellation'), isOfId: this.#isNotFound }
            : problemIn(result, this.#hasRead);
        ledger.apply(this.#run, unsettled(problem));
    }
    #mayRead() {
        const { reads } = this.#run;
        const now = this.#parts.clock.now();
        const [firstAt = -Infinity] = this.#missing;
        const isLast = this.#mayNotExist && this.#missing.length + this.#reading + 1 >= MOST_MISSING;
        if (isLast && now - firstAt < MISSING_FOR_MS)
            return false;
        if (!reads.mayConfirm(now, this.#parts.pollIntervalMs))
            return false;
        reads.note(now);
        return true;
    }
}
const NO_TIME = problemOf('cancel', 'no response arrived in time');
function problemIn(result, hasRead) {
    if (result.kind === 'job')
        return problemOf('cancel', `its status is still ${quotedStatus(result.job.status)}`);
    if (result.kind !== 'none')
        return result.problem;
    const andRead = hasRead ? ', and no status check showed a final status' : '';
    return problemOf('cancel', `the service reported no change${andRead}`);
}

;// CONCATENATED MODULE: ./report/log.js











const SIGN_AFTER_MS = 180_000;
const AFTER_CANCELS_MS = 100;
const MOST_UNRECOGNIZED = 2;
const FIRST_LINES = 120;
const LAST_LINES = 79;
class Log {
    #world;
    #plan;
    #runUrl;
    #startedAt;
    #runs = [];
    #signAt;
    #notes = new Map();
    #isFailing = false;
    #unrecognized = new Set();
    #messages = new Set();
    #stops = new Map();
    constructor(world, plan, runUrl) {
        this.#world = world;
        this.#plan = plan;
        this.#runUrl = runUrl;
        this.#startedAt = world.clock.now();
        this.#signAt = this.#startedAt;
    }
    begin(runs) {
        this.#runs = runs;
    }
    line(text) {
        this.flush();
        if (!this.#isMany)
            this.#signAt = this.#world.clock.now();
        print(this.#world, text);
    }
    changed(run, before) {
        const { phase, status, stop } = run.state;
        if (stop !== undefined && isNewlyStopped(run.state, before)) {
            this.#noteStop(stop, before);
            return;
        }
        if (phase.at !== 'dry_run')
            this.#show(run, before);
        if (status !== undefined && status !== before.status && isUnrecognized(status))
            this.#warn(run.state, status);
    }
    note(text, run) {
        const now = this.#world.clock.now();
        const key = text.replace(/\d/g, '');
        if (this.#isMany && now - (this.#notes.get(key) ?? -Infinity) < SIGN_AFTER_MS)
            return;
        this.#notes.set(key, now);
        const shown = (0,base_text/* oneLine */.TN)(text, 2_000);
        if (run === undefined)
            this.line(shown);
        else
            this.#about(run, shown);
    }
    tick(isFailing) {
        const now = this.#world.clock.now();
        if (this.#isFailing && !isFailing)
            this.#notes.clear();
        this.#isFailing = isFailing;
        const run = this.#runs.find(({ state }) => isStoppable(state) || isOpen(state));
        if (now - this.#signAt < SIGN_AFTER_MS || run === undefined)
            return;
        this.#signAt = now;
        const still = isFailing ? 'still no valid response' : undefined;
        if (this.#runs.length > 1) {
            const trouble = still === undefined ? '' : `; ${still} to some requests`;
            this.line(`${this.#runs.length} runs after ${this.#elapsed()}: ${this.#counts()}${trouble}`);
        }
        else if (run.state.phase.at === 'waiting') {
            this.line(`[${this.#elapsed()}] ${nameOf(run.state)}: ${still ?? this.#notTriggeredWords(run.state)}`);
        }
        else {
            this.#about(run, still ?? stillWords(run.state));
        }
    }
    #notTriggeredWords(state) {
        return `${state.attempt > 1 ? `${attemptOf(state, this.#plan)} ` : ''}not triggered yet`;
    }
    flush() {
        for (const [text, isPrinted] of this.#stops) {
            if (isPrinted)
                continue;
            this.#stops.set(text, true);
            this.line(text);
        }
    }
    get #states() {
        return this.#runs.map(({ state }) => state);
    }
    get #isMany() {
        return this.#runs.length > MOST_ON_A_SCREEN;
    }
    #elapsed() {
        return (0,duration/* formatDuration */.a3)(Math.floor((this.#world.clock.now() - this.#startedAt) / 1_000) * 1_000);
    }
    #about({ state }, text) {
        this.line(`[${this.#elapsed()}] ${nameOf(state)}: ${text}`);
    }
    #show(run, before) {
        const { isGiven, isSeen, jobId, phase, status } = run.state;
        const isNewRun = !isGiven && jobId !== undefined && jobId !== before.jobId;
        const isFirstRead = isGiven && isSeen && !before.isSeen && !isFinalStatus(status);
        if (isNewRun || isFirstRead)
            this.#about(run, this.#foundWords(run.state));
        else if (status !== undefined && status !== before.status)
            this.#newStatus(run, before);
        else if (phase.at !== before.phase.at)
            this.#newPhase(run);
    }
    #foundWords(state) {
        const { isGiven, jobId, status = '', target } = state;
        const nth = this.#plan.maxAttempts > 1 ? ` (${attemptOf(state, this.#plan)})` : '';
        const now = `(status: ${shownStatus(status)})`;
        const how = isExisting(target)
            ? `waiting for this run ${now}`
            : `resuming run ${jobId} ${now} instead of triggering a new one`;
        const what = isGiven ? how : `run ${jobId} is queued${nth}`;
        const link = linkTo(state, this.#runUrl);
        return link === '' ? what : `${what}: ${link}`;
    }
    #newStatus(run, before) {
        const { message, status = '' } = run.state;
        if (this.#isMany && !isFinalStatus(status))
            return;
        const from = before.status === undefined ? '' : `${shownStatus(before.status)} → `;
        const what = `${from}${shownStatus(status)}`;
        if (!isLong(message) || this.#messages.has(message) || this.#messages.size >= MOST_ON_A_SCREEN) {
            this.#about(run, `${what}${saidBy(run.state)}`);
            return;
        }
        this.#messages.add(message);
        this.#about(run, `${what}. Message from the service:`);
        for (const line of linesOf(message))
            this.line(line);
    }
    #newPhase({ state }) {
        const hasEndedUnseen = ['unknown', 'lost', 'not_queued'].includes(state.phase.at);
        const isTriggered = state.triggeredAt !== undefined;
        const areOthersLeft = this.#states.some((each) => isOpen(each) || (isTriggered && isStoppable(each)));
        if (hasEndedUnseen && state.stop === undefined && areOthersLeft)
            this.line(endingOf(state, this.#plan).line);
    }
    #warn(state, status) {
        if (this.#unrecognized.has(status) || this.#unrecognized.size >= MOST_UNRECOGNIZED)
            return;
        this.#unrecognized.add(status);
        const what = `This version of the action does not recognize the status ${shownStatus(status)} of ${runOf(state)}.`;
        const text = `${what} While the run has this status, the step treats it as unfinished. Update the action.`;
        this.#world.toolkit.annotate('warning', text, titleOf(nameOf(state)));
    }
    #noteStop(stop, state) {
        this.#world.clock.after(AFTER_CANCELS_MS, () => this.flush());
        const [which, keep] = stop.why === 'queue_timeout'
            ? [runOf(state), `${runOf(state)} stays in the queue`]
            : ['unfinished runs', `not cancelling unfinished runs${policyOf(stop, this.#plan)}`];
        const within = stop.why === 'interruption' ? '' : `. This can take up to ${(0,duration/* formatDuration */.a3)(SETTLES_WITHIN_MS)}`;
        const ofRun = stop.policy === 'cancel' ? `cancelling ${which}${within}` : keep;
        const ofPhase = isUnconfirmed(state) ? 'a trigger may be in flight' : ofRun;
        const what = this.#plan.dryRun ? 'the dry run stops' : hasNoRun(state) ? 'triggering no more runs' : ofPhase;
        const text = `${reasonOf(stop)}: ${what}.`;
        this.#stops.set(text, this.#stops.get(text) ?? false);
    }
    #counts() {
        const counts = new Map();
        for (const state of this.#states) {
            const word = wordFor(state);
            const under = counts.has(word) || counts.size < MOST_AT_A_GLANCE ? word : 'others';
            counts.set(under, (counts.get(under) ?? 0) + 1);
        }
        return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
    }
}
function wordFor(run) {
    const { phase, status } = run;
    if (phase.at === 'in_progress')
        return status === undefined ? 'not read yet' : shownStatus(status);
    return wasNotFound(run) ? 'not found' : (PHASES[phase.at] ?? phase.at);
}
const PHASES = {
    not_queued: 'not triggered',
    left: 'not cancelled',
    detached: 'not awaited',
    unknown: 'possibly triggered',
    lost: 'with an unknown result',
    unsettled: 'not confirmed as cancelled',
};
function stillWords(run) {
    const { status } = run;
    if (status === undefined)
        return 'no status read yet';
    return `still ${shownStatus(status)}${status === 'queued' && !hasAgent(run) ? ' because no agent has picked up the run yet' : ''}`;
}
function printMessages(world, runs) {
    const byMessage = new Map(runs.filter(({ message }) => isLong(message)).map((run) => [run.message, run]));
    for (const [message, run] of [...byMessage].slice(0, MOST_ON_A_SCREEN))
        for (const line of [`Message from the service about ${runOf(run)}:`, ...linesOf(message)])
            print(world, line);
}
function isLong(message) {
    return message.includes('\n') || message.length > LONGEST_SAID;
}
function linesOf(message) {
    const lines = message.split('\n').map((line) => `  ${line}`);
    const omitted = lines.length - FIRST_LINES - LAST_LINES;
    return omitted > 1 ? lines.toSpliced(FIRST_LINES, omitted, '  … lines omitted …') : lines;
}

;// CONCATENATED MODULE: ./report/output-writer.js
class OutputWriter {
    #toolkit;
    #hasFile;
    #written = new Map();
    constructor({ env, toolkit }) {
        this.#toolkit = toolkit;
        this.#hasFile = (env['GITHUB_OUTPUT'] ?? '') !== '';
        if (!this.#hasFile)
            toolkit.info('GITHUB_OUTPUT is not set, so later steps receive no outputs.');
    }
    write(outputs) {
        for (const [name, value] of Object.entries(outputs)) {
            if (!this.#hasFile || (this.#written.get(name) ?? '') === value)
                continue;
            this.#toolkit.setOutput(name, value);
            this.#written.set(name, value);
        }
    }
}

;// CONCATENATED MODULE: ./report/step-endings.js






function endingsOf(runs, context) {
    const problem = runs.length > 1 ? onlyProblem(runs) : undefined;
    if (problem === undefined) {
        const shared = context.rest === undefined ? sharedContext(runs, context) : context;
        return runs.map((run) => endingOf(run, shared));
    }
    const line = withCause(nothingTriggered(context), problem, problem.call === 'trigger');
    return [{ level: 'error', line, advice: adviceOf(problem, context), about: 'nothing was triggered' }];
}
function sharedContext(runs, context) {
    return { ...context, rest: restOf(runs, context), areSeveral: runs.length > 1 };
}
function nothingTriggered({ dryRun = false }) {
    return dryRun ? (0,base_text/* capitalized */.l2)(DRY_RUN_FAILED) : 'Nothing was triggered';
}
function onlyProblem(runs) {
    const problems = runs.map(problemWith);
    const [problem, another] = new Set(problems.filter((each) => each !== undefined));
    const isPrevented = ({ earlier, phase, stop }, nth) => earlier.length === 0 && phase.at === 'not_queued' && (problems[nth] !== undefined || stop === undefined);
    return another === undefined && runs.every(isPrevented) ? problem : undefined;
}
const GOAL_WORDS = {
    dry_run: 'entries passed the dry run',
    triggered: 'runs triggered',
    succeeded: 'runs succeeded',
};
function labelOf(run, outcome, { dryRun = false }) {
    if (dryRun)
        return outcome === 'not_triggered' ? 'failed' : 'not checked';
    const orRunning = mayContinue(run) ? ' and possibly still running' : '';
    const isUntriggered = hasNoRun(run) && run.earlier.length === 0;
    switch (outcome) {
        case 'unknown':
            return 'may have been triggered';
        case 'lost':
            return wasNotFound(run) ? 'not found' : `with an unknown result${orRunning}`;
        case 'wait_timed_out':
            return isUntriggered
                ? 'not triggered in time'
                : `did not finish in time${mayContinue(run) ? ' and may still be running' : ''}`;
        case 'cancelled':
            if (isUntriggered)
                return 'not triggered';
            if (hasNoRun(run))
                return 'not retried';
            if (run.phase.at !== 'finished')
                return `unfinished${orRunning}`;
            return run.status === 'cancelled' ? 'cancelled' : 'finished before it could be cancelled';
        default:
            return outcome.replaceAll('_', ' ');
    }
}
function endingOfAll(runs, context) {
    const [ending, another] = endingsOf(runs, context);
    const outcomes = runs.map((run) => outcomeOf(run, context));
    const isUntriggered = outcomes.every((outcome) => outcome === 'not_triggered');
    if (ending !== undefined && another === undefined)
        return isUntriggered ? textOf(ending) : ending.line;
    if (isUntriggered) {
        const withProblem = runs.filter((run) => problemWith(run) !== undefined);
        return `${nothingTriggered(context)} because of problems with ${(0,base_text/* listed */.KE)(withProblem.map(nameOf))}.`;
    }
    const haveSucceeded = outcomes.includes('succeeded') && !outcomes.includes('triggered');
    const goal = haveSucceeded ? 'succeeded' : goalOf(context);
    const namesByLabel = new Map();
    for (const outcome of OUTCOMES.filter((each) => each !== goal))
        for (const run of runs.filter((_, nth) => outcomes[nth] === outcome)) {
            const label = labelOf(run, outcome, context);
            namesByLabel.set(label, [...(namesByLabel.get(label) ?? []), nameOf(run)]);
        }
    const parts = [...namesByLabel].map(([label, names]) => `${names.length} ${label} (${(0,base_text/* listed */.KE)(names)})`);
    const withTwin = runs.filter(hasPossibleTwin).map(nameOf);
    const twins = withTwin.length > 0
        ? `The service did not confirm every trigger, so other runs of ${(0,base_text/* listed */.KE)(withTwin)} may exist. `
        : '';
    const unrecognized = [...new Set(runs.flatMap((run) => unrecognizedStatusOf(run) ?? []))].map(shownStatus);
    if (unrecognized.length > 0)
        parts.push(`this version of the action does not recognize the status${unrecognized.length > 1 ? 'es' : ''} ${(0,base_text/* listed */.KE)(unrecognized)}; update the action`);
    const reached = outcomes.filter((outcome) => outcome === goal).length;
    const words = goal === 'triggered' && reached === 0 ? 'entries succeeded' : GOAL_WORDS[goal];
    return `${twins}${[`${reached} of ${runs.length} ${words}`, ...parts].join('; ')}.`;
}
function restOf(runs, context) {
    const again = runs.filter((run) => !mustNotRunAgain(run, context));
    return again.length < runs.length ? namesIn(again) : [];
}
function namesIn(runs) {
    return runs.flatMap(({ target }) => target.pipeline ?? []);
}
function mustNotRunAgain(run, context) {
    const { mayHaveTwin, phase } = run;
    if (mayHaveTwin || mayContinue(run) || phase.at === 'detached')
        return true;
    return phase.at === 'finished' && isAccepted(run, context);
}
function adviceForNextRun(runs, context) {
    const kept = runs.filter((run) => mustNotRunAgain(run, context));
    const names = namesIn(kept).map((name) => (0,base_text/* quoted */.TL)(name, 80));
    if (names.length === 0)
        return [];
    const advise = (line) => [{ level: 'none', line, advice: [] }];
    if (context.areSeveral !== true)
        return kept.some(({ isGiven, phase }) => phase.at === 'finished' && !isGiven)
            ? advise(`Re-running this job would trigger another run of ${names.join(', ')}.`)
            : [];
    const [who, them, more] = names.length === 1 ? ['This pipeline has', 'it', 'a second run'] : ['These pipelines have', 'them', 'second runs'];
    const unsure = kept.some(isUnconfirmed)
        ? ' If the application shows no new run of a pipeline within a few minutes, keep this pipeline.'
        : '';
    const orMayHave = unsure === '' ? '' : ', or may have,';
    return advise(`${who}${orMayHave} a run that succeeded or may still be running: ${names.join(', ')}. To avoid ${more}, start a new workflow run without ${them} in the pipeline input instead of re-running this job.${unsure}`);
}

;// CONCATENATED MODULE: ./report/outputs.js





const OUTPUTS = {
    'job-id': {
        description: 'Id of the run (the API calls a run a job).',
        details: 'The output is set as soon as the id is known. For several runs, the output contains one id per line.',
        isEarly: true,
        of: ({ runs }) => runs.flatMap((run) => lastJobId(run) ?? []).join('\n'),
    },
    'job-status': {
        description: 'Last known status: `unknown` if none is known, `not_queued` if no run was queued.',
        details: 'For several runs, the output contains the worst status. A status that the action does not recognize is untrusted text, so pass the output to scripts through env.',
        cancel: 'Last known status of the run, or the worst status of several runs.',
        isEarly: true,
        of: ({ runs }) => (0,base_text/* oneLine */.TN)(worstStatus(runs), 100),
    },
    outcome: {
        description: 'Result of the step.',
        details: 'For several runs, the output contains the worst result.',
        values: OUTCOMES,
        of: ({ runs, context }) => worstOutcome(runs, context),
    },
    message: {
        description: 'One-line result, ready for a chat message. For a single run, it ends with the link to the run if there is one and `run-url` is set.',
        details: 'It can contain untrusted text, so pass it to scripts through env.',
        of: ({ runs, context, last }) => withLink((0,base_text/* oneLine */.TN)(endingOfAll(runs, context), LONGEST_MESSAGE), last === undefined ? '' : linkOf(last, context)),
    },
    'status-message': {
        description: "The service's message about the run.",
        details: 'At most 1,000 characters. Empty if there are several runs. The text is untrusted, so pass it to scripts through env.',
        of: ({ last }) => (0,base_text/* oneLine */.TN)(last?.message ?? '', LONGEST_MESSAGE),
    },
    'pipeline-id': {
        description: 'UUID of the pipeline.',
        details: 'Empty if there are several runs.',
        isEarly: true,
        of: ({ only }) => only?.pipeline?.id ?? '',
    },
    'pipeline-name': {
        description: 'Name of the pipeline, if known.',
        details: 'Empty if there are several runs. The text is untrusted, so pass it to scripts through env.',
        of: ({ only }) => (0,base_text/* oneLine */.TN)(only?.pipeline?.name ?? '', 200),
    },
    'run-url': {
        description: 'Link to the run in `job-id`, if the `run-url` input is set.',
        details: 'Empty if there are several runs.',
        isEarly: true,
        of: ({ only, context }) => (only === undefined ? '' : linkOf({ ...only, jobId: lastJobId(only) }, context)),
    },
    duration: {
        description: 'Time from the first trigger (for existing runs, from the start of the step) to the end of the last attempt, in whole seconds. Empty if the step did not see the run finish.',
        details: 'For several runs, the output contains the time until the step ends.',
        of: ({ runs, last, now }) => {
            const starts = runs.flatMap((each) => (each.earlier[0] ?? each).startedAt ?? []);
            const startedAt = starts.length === 0 ? undefined : Math.min(...starts);
            return wholeSeconds(startedAt, last === undefined ? now : last.endedAt);
        },
    },
};
const LONGEST_MESSAGE = 1_000;
function linkOf(run, { runUrl = '' }) {
    return linkTo(run, runUrl);
}
function withLink(message, link) {
    const linked = `${message} ${link}`;
    return link === '' || linked.length > LONGEST_MESSAGE ? message : (0,base_text/* oneLine */.TN)(linked, LONGEST_MESSAGE);
}
function earlyOutputsOf(runs, context) {
    const isPlanned = runs.some(({ earlier, phase }) => phase.at === 'waiting' && earlier.length === 0);
    const early = ALL.filter(([, { isEarly }]) => isEarly);
    return { ...valuesOf(early, runs, context), ...(isPlanned && { 'job-status': 'unknown' }) };
}
function cancelOutputsOf(runs, context) {
    const those = ALL.filter(([, { cancel }]) => cancel !== undefined);
    return valuesOf(those, runs, context);
}
function outputsOf(runs, context, now) {
    return valuesOf(ALL, runs, context, now);
}
const ALL = Object.entries(OUTPUTS);
function valuesOf(outputs, runs, context, now) {
    const [run, another] = runs;
    const only = another === undefined ? run : undefined;
    const source = { runs, context, only, last: only && lastKnown(only), now };
    return Object.fromEntries(outputs.map(([name, { of }]) => [name, of(source)]));
}
function wholeSeconds(from, to) {
    return from === undefined || to === undefined ? '' : String(Math.floor((to - from) / 1_000));
}
const RESULTS = {
    description: 'JSON array with one entry per run.',
    page: 'docs/using.md#results',
    details: `Entries are in input order. The keys are pipeline, ${Object.keys(OUTPUTS).join(', ')}, error and, if max-attempts is above 1, attempts. The array can contain untrusted text, so pass it to scripts through env.`,
    cancel: 'JSON array with one entry per run, in input order.',
};

;// CONCATENATED MODULE: ./report/results.js






const MOST_BYTES = 30_000;
function resultsOf(runs, context) {
    return `[${resultEntriesOf(runs, context).join()}]`;
}
function resultEntriesOf(runs, context) {
    const shared = sharedContext(runs, context);
    const entries = runs.map((run) => entryOf(run, shared));
    const inOrder = entries.toSorted((a, b) => Number(a.isGood) - Number(b.isGood));
    const shown = new Map();
    let free = MOST_BYTES - '[]'.length;
    const sizeOf = (json) => (json === undefined ? 0 : Buffer.byteLength(`${json},`));
    const show = (entry, json) => {
        const added = sizeOf(json) - sizeOf(shown.get(entry));
        if (added > free)
            return;
        free -= added;
        shown.set(entry, json);
    };
    for (const entry of inOrder)
        show(entry, entry.short);
    for (const entry of inOrder)
        show(entry, entry.whole);
    return entries.flatMap((entry) => shown.get(entry) ?? []);
}
function entryOf(run, context) {
    const ending = endingOf(run, context);
    const outcome = outcomeOf(run, context);
    const isError = ending.level === 'error' || outcome === 'not_triggered';
    const outputs = { pipeline: (0,base_text/* oneLine */.TN)(run.target.pipeline ?? '', 200), ...outputsOf([run], context) };
    const { 'run-url': _, ...withoutLink } = outputs;
    const attempts = [...run.earlier, run].map((each) => ({
        'job-id': each.jobId ?? '',
        'job-status': (0,base_text/* oneLine */.TN)(statusOf({ ...each, earlier: [] }), 100),
        duration: wholeSeconds(each.startedAt, each.endedAt),
    }));
    const whole = {
        ...outputs,
        error: isError ? (0,base_text/* oneLine */.TN)(textOf(ending), 1_000) : '',
        ...((context.maxAttempts ?? 1) > 1 && { attempts }),
    };
    const short = {
        ...withoutLink,
        message: '',
        'status-message': '',
        'pipeline-name': (0,base_text/* shorten */.ml)(outputs['pipeline-name'], 40),
        error: isError ? 'see the log' : '',
    };
    return { isGood: isGoal(outcome), whole: JSON.stringify(whole), short: JSON.stringify(short) };
}

;// CONCATENATED MODULE: ./run/ledger.js


const NOTHING_TO_SAVE = { isUnsaved: () => false, notes: [] };
const NO_STORE = { save: () => NOTHING_TO_SAVE, repair: () => NOTHING_TO_SAVE };
class Ledger {
    runs;
    #store;
    #observer;
    #halting = new Map();
    constructor(runs, store, observer) {
        this.#store = store;
        this.#observer = observer;
        this.runs = runs.map(({ number, state }) => {
            const halting = new AbortController();
            const run = { number, state, halted: halting.signal, reads: new Reads() };
            this.#halting.set(run, halting);
            return run;
        });
    }
    apply(run, transition) {
        return this.#apply([run], transition).problem;
    }
    applyToAll(transition) {
        this.#apply(this.runs, transition);
    }
    repair() {
        this.#note(this.#store.repair());
    }
    stop(stop, runs = this.runs) {
        this.#apply(runs, stopped(stop));
        for (const run of runs)
            this.#halting.get(run)?.abort();
    }
    abandon(run, why) {
        this.#halting.get(run)?.abort();
        return this.#apply([run], abandoned(why)).isChanged;
    }
    #apply(runs, transition) {
        const changes = runs
            .map((run) => ({ run, before: run.state, after: transition(run.state) }))
            .filter(({ before, after }) => before !== after);
        for (const { run, before, after } of changes) {
            run.state = after;
            if (after.jobId !== before.jobId)
                run.reads = new Reads();
        }
        const saved = this.#store.save(changes.map(({ run }) => run));
        this.#note(saved);
        for (const { run, before } of changes)
            this.#observer.changed(run, before);
        return { isChanged: changes.length > 0, problem: saved.problem };
    }
    #note({ isUnsaved, notes }) {
        for (const run of this.runs)
            if (run.state.isUnsaved !== isUnsaved(run.number))
                run.state = { ...run.state, isUnsaved: !run.state.isUnsaved };
        for (const text of notes)
            this.#observer.note(text);
    }
}

// EXTERNAL MODULE: ./base/address.js
var base_address = __nccwpck_require__(563);
// EXTERNAL MODULE: ./base/json.js
var base_json = __nccwpck_require__(753);
;// CONCATENATED MODULE: ./base/slices.js

const SLICE_MS = 10;
async function* inSlices(items, clock) {
    let startedAt = clock.now();
    for (const item of items) {
        yield item;
        if (clock.now() - startedAt < SLICE_MS)
            continue;
        await pause(clock, 0);
        startedAt = clock.now();
    }
}

;// CONCATENATED MODULE: ./base/slots.js
class Slots {
    #free;
    #waiting = [];
    constructor(count) {
        this.#free = count;
    }
    async take() {
        if (this.#free > 0)
            this.#free -= 1;
        else
            await new Promise((resolve) => this.#waiting.push(resolve));
    }
    release() {
        const next = this.#waiting.shift();
        if (next === undefined)
            this.#free += 1;
        else
            next();
    }
}

;// CONCATENATED MODULE: ./base/uuid.js
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
function asUuid(value) {
    const text = typeof value === 'string' ? value.toLowerCase() : '';
    return UUID.test(text) ? text : undefined;
}

// EXTERNAL MODULE: ./service/encoding.js
var encoding = __nccwpck_require__(884);
;// CONCATENATED MODULE: ./service/response.js

function is2xx({ status }) {
    return status >= 200 && status < 300;
}
function jsonOf(answer) {
    return isDelimited(answer) ? (0,base_json/* parseJson */.qF)(answer.text) : undefined;
}
function isDelimited({ body }) {
    return ['complete', 'cut off', 'stalled'].includes(body);
}
const SCHEMA_STATUSES = [400, 404, 406];
const CODES = [
    [/^PGRST00[023]$/, 'not_now'],
    [/^PGRST001$/, 'unclear'],
    [/^PGRST1\d\d$/, 'request', SCHEMA_STATUSES],
    [/^(?:PGRST2\d\d|42P01|42703|42883)$/, 'schema', SCHEMA_STATUSES],
    [/^PGRST3\d\d$/, 'token', [400]],
];
function errorResponse(answer) {
    const { body, status, text } = answer;
    const json = body === 'complete' ? (0,base_json/* parseJson */.qF)(text) : undefined;
    const fields = (0,base_json/* asObject */.eB)(json);
    const code = typeof fields['code'] === 'string' ? fields['code'] : '';
    return { ...answer, json, fields, topic: topicOf(status, code), isUnauthorized: status === 401 };
}
function topicOf(status, code) {
    if (status === 429)
        return 'not_now';
    const row = CODES.find(([pattern, , statuses = [status]]) => pattern.test(code) && statuses.includes(status));
    if (row !== undefined)
        return row[1];
    return status < 300 || status >= 500 || [408, 499].includes(status) ? 'unclear' : undefined;
}
function isRateLimit({ headers, status }) {
    return status >= 400 && headers['retry-after'] !== undefined;
}
function isRedirect(status) {
    return status >= 300 && status < 400;
}
function isHtml({ headers, text }) {
    if (/^(?:text\/html|application\/xhtml)/i.test(headers['content-type'] ?? ''))
        return true;
    return /^\s*<[!?a-z]/i.test(text);
}
function isFromGateway({ call }, error) {
    return isHtml(error) || (call === 'read' && error.status >= 400 && error.json === undefined);
}
function messageIn({ fields, json }) {
    const { message, msg, error, error_description: description } = fields;
    const candidates = [message, msg, description, (0,base_json/* asObject */.eB)(error)['message'], error, json];
    return candidates.find((each) => typeof each === 'string' && each.trim() !== '');
}

;// CONCATENATED MODULE: ./service/remedies.js




function flawOf({ body, headers, text }, subject) {
    switch (body) {
        case 'complete':
            return text.trim() === '' ? 'with an empty body' : 'with a body that is not JSON';
        case 'cut off':
            return 'with a truncated response';
        case 'stalled':
            return 'with a stalled response';
        case 'too large':
            return 'with an oversized response';
        case 'unframed':
            return 'with a response that declares no length and may be incomplete';
        case 'undecodable':
            return `with a body that could not be decoded (content-encoding: ${(0,base_text/* oneLine */.TN)(subject.clean((0,encoding/* codingsOf */.Z2)(headers), 60, cleaningFor(subject)))})`;
    }
}
function answerProblem(subject, answer, why) {
    const wrongHost = subject.call === 'exchange' ? WRONG_HOST : allowIn(subject);
    const wrongShape = answer.body === 'complete' ? WHEN_UNUSABLE[subject.call] : undefined;
    const [words, remedy] = isHtml(answer) ? [WEB_PAGE, wrongHost] : [why, wrongShape];
    return problemOf(subject.call, `HTTP ${answer.status} ${words}`, remedy);
}
const WEB_PAGE = 'with a web page';
function errorProblem(subject, error, credential) {
    const { headers, status } = error;
    const location = (0,base_text/* oneLine */.TN)(subject.clean(headers.location ?? '', LONGEST_ADDRESS, {
        remove: (url) => withoutTokens(withoutQuery(url), subject),
    }));
    const target = isRedirect(status) && location !== '' ? `, a redirect to ${location}` : '';
    const words = isHtml(error) ? ` ${WEB_PAGE}` : wordsOf(error, subject);
    return problemOf(subject.call, `HTTP ${status}${target}${words}`, remedyFor(subject, error, credential));
}
const LONGEST_ADDRESS = 200;
function withoutQuery(url) {
    return url.replace(/[?#].*/, '');
}
function withoutTokens(url, { call }) {
    return call === 'exchange' ? url.replace(/(?<=(?<![:/])\/)[^/]+/g, (segment) => withoutToken(segment, '')) : url;
}
const SHORTEST_IN_ERROR = 20;
const LONG_WORDS = new RegExp(String.raw `[\w.~+/=%\\-]{${SHORTEST_IN_ERROR},}`, 'g');
function withoutToken(word, path) {
    const rest = word.replace(path, '');
    return rest.length >= SHORTEST_IN_ERROR && /\d/.test(rest) ? '***' : word;
}
function cleaningFor({ call, path }) {
    const remove = (words) => words.replace(LONG_WORDS, (word) => withoutToken(word, path));
    return call === 'exchange' ? { remove } : {};
}
function wordsOf(error, subject) {
    const { body, fields, json, text } = error;
    const { call, clean } = subject;
    if (body === 'undecodable')
        return ` ${flawOf(error, subject)}`;
    if (text.trim() === '' || body !== 'complete')
        return '';
    const isExchange = call === 'exchange';
    const show = (words, longest) => (0,base_text/* quoted */.TL)(clean(words, longest, cleaningFor(subject)), longest);
    const { code, hint } = fields;
    const said = messageIn(error);
    if (said === undefined)
        return isExchange && json !== undefined ? '' : ` ${show(text, 160)}`;
    const isCode = typeof code === 'string' || typeof code === 'number';
    const details = [
        ...(isCode ? [`code ${show(String(code), 40).slice(1, -1)}`] : []),
        ...(typeof hint === 'string' && hint.trim() !== '' ? [`hint: ${show(hint, 300)}`] : []),
    ];
    return ` ${show(said, 300)}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}
const CHECK_REVOKED = "Check whether the API key was revoked. If it was not, contact the service's operators.";
const TOKEN_REMEDY = `The service rejected a token that it had just issued. ${CHECK_REVOKED}`;
const CHECK_SCHEMA = "The service may be updating its database schema. If the error persists, contact the service's operators.";
const CHECK_REQUEST = "The service does not understand the action's request. Update the action, or contact the service's operators.";
const WRONG_HOST = "Check that base-url is the application's URL, and check whether a proxy requires a login.";
const MAY_BE_RUNNING = 'Another run of the pipeline may be queued or running. If so, wait for that run to finish, or set job-id to its id.';
const CHECK_PIPELINE = "Check that the pipeline exists, is active, and belongs to the API key's workspace.";
const WHEN_REJECTED = {
    exchange: 'Check that the API key is valid, that base-url is correct, and that no proxy or firewall rejects the request.',
    list: USE_UUIDS,
    trigger: 'Fix the problem that the service reports.',
    read: "Check that the API key belongs to the run's workspace.",
    cancel: "Check that the API key belongs to the run's workspace.",
};
const WHEN_UNUSABLE = {
    exchange: "Check that base-url is the application's URL. If it is, contact the service's operators.",
    list: `${USE_UUIDS} If that does not help, contact the service's operators.`,
};
function allowIn({ call, host }) {
    const check = call === 'exchange' ? ', and check base-url' : '';
    return `A proxy or a firewall may have responded instead of the service, for example with a login page. Allow connections to ${host}${check}.`;
}
function remedyFor(subject, error, credential) {
    const { call, basePath, clean } = subject;
    const { fields, isUnauthorized, status, topic } = error;
    const isExchange = call === 'exchange';
    if (status === 407)
        return proxyLoginRemedy({ ...subject, hasProxyLogin: false });
    if (isRedirect(status))
        return `The action does not follow redirects, because they could send secrets to another host. Check ${isExchange ? 'base-url, and check ' : ''}whether a proxy requires a login.`;
    const isPathWrong = isExchange && status === 404 && basePath !== '';
    const path = isPathWrong ? `Remove the path ${clean(basePath, LONGEST_ADDRESS)} from base-url. ` : '';
    const allow = `${path}${allowIn(subject)}`;
    if (isHtml(error) && status < 500)
        return allow;
    if (isUnauthorized)
        return isExchange ? KEY_REMEDY : TOKEN_REMEDY;
    if (topic === 'not_now' || topic === 'unclear' || (call !== 'trigger' && isRateLimit(error)))
        return undefined;
    if (isFromGateway(subject, error))
        return allow;
    if (!isExchange && (topic === 'request' || topic === 'schema'))
        return `${topic === 'schema' ? CHECK_SCHEMA : CHECK_REQUEST}${call === 'list' ? ` ${WHEN_REJECTED.list}` : ''}`;
    if (status === 400 && credential !== 'none')
        return CHECK_REVOKED;
    if (call === 'trigger' && [409, 423].includes(status))
        return MAY_BE_RUNNING;
    const isUnknown = status === 404 || (status === 400 && fields['code'] === 'P0001');
    return call === 'trigger' && isUnknown ? CHECK_PIPELINE : `${path}${WHEN_REJECTED[call]}`;
}

;// CONCATENATED MODULE: ./service/classification.js


function replyOfStatus(subject, answer, wallMs) {
    const error = errorResponse(answer);
    const credential = credentialOf(subject, error);
    return { result: failureOf(subject, error, credential, wallMs), credential };
}
const SCHEMA_CHANGES_WITHIN_MS = 120_000;
const ABOUT_JWT = /(?<![a-z])jw[st]/i;
function credentialOf({ call }, error) {
    const { isUnauthorized, json, status, topic } = error;
    const isOfService = json !== undefined && !isHtml(error) && !isRateLimit(error);
    if (call === 'exchange')
        return (isUnauthorized && !isHtml(error)) || (status === 403 && isOfService) ? 'refused' : 'none';
    if (isUnauthorized || (topic === 'token' && call === 'trigger'))
        return 'refused';
    const mayBeToken = status === 403 || (status === 400 && (topic === 'token' || ABOUT_JWT.test(messageIn(error) ?? '')));
    return mayBeToken && isOfService && call !== 'trigger' ? 'doubted' : 'none';
}
function failureOf(subject, error, credential, wallMs) {
    const { status, topic } = error;
    const { call } = subject;
    const problem = errorProblem(subject, error, credential);
    const isBusy = topic === 'not_now' || topic === 'unclear';
    const details = { problem, isBusy, retryAfterMs: retryAfterOf(error, wallMs) };
    const isExchange = call === 'exchange';
    const isTrigger = call === 'trigger';
    const isRefused = credential === 'refused';
    if (status === 407 || (isRefused && !isExchange))
        return { kind: 'not_processed', problem, isFinal: true };
    if (topic === 'not_now')
        return { kind: 'not_processed', ...details };
    if (topic === 'unclear' || (status === 303 && isTrigger))
        return { kind: 'maybe_processed', ...details };
    if ((call === 'read' || call === 'cancel') && (topic === 'request' || topic === 'schema'))
        return { kind: 'not_processed', ...details };
    if (!isExchange && topic === 'schema')
        return { kind: 'not_processed', ...details, longestMs: SCHEMA_CHANGES_WITHIN_MS };
    const mayPassLater = isRateLimit(error) || (status >= 400 && isFromGateway(subject, error));
    if (mayPassLater && !isTrigger && !isRefused)
        return { kind: 'not_processed', ...details };
    return { kind: 'rejected', problem: isExchange && status >= 400 ? { ...problem, isOfKey: true } : problem };
}
const LONGEST_RETRY_AFTER_MS = 60_000;
function retryAfterOf({ headers }, wallMs) {
    const asked = headers['retry-after'] ?? '';
    const nowMs = httpDate(headers.date ?? '');
    const untilMs = httpDate(asked) - (Number.isNaN(nowMs) ? wallMs : nowMs);
    const ms = /^\d+$/.test(asked) ? Number(asked) * 1_000 : untilMs;
    return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}
function httpDate(text) {
    return /:\d\d:/.test(text) ? Date.parse(text) : Number.NaN;
}

// EXTERNAL MODULE: ./service/send.js
var service_send = __nccwpck_require__(275);
;// CONCATENATED MODULE: ./service/connection.js



const SYSTEM_CAS = "or set NODE_USE_SYSTEM_CA=1 to use the runner's trusted CAs.";
const SET_EXTRA_CAS = `set NODE_EXTRA_CA_CERTS to the CA certificate's path, ${SYSTEM_CAS}`;
const CHECK_EXTRA_CAS = `check that the file in NODE_EXTRA_CA_CERTS, which is already set, exists and contains the CA certificate, ${SYSTEM_CAS}`;
const DATES = "Check the runner's clock and the certificate's validity dates. To trust your own CA, {trust}";
const OTHER_HOST = 'The certificate belongs to another host. Check the host name, and check whether a proxy or firewall is responding in place of the host.';
const UNKNOWN_CA = 'If a proxy or an internal CA signed the certificate, {trust}';
const INCOMPLETE_CHAIN = `A proxy or an internal CA signed the certificate, or the server does not send its intermediate certificate (browsers can work around this). If a proxy or an internal CA signed the certificate, {trust} Otherwise, ask the server's operators to install the complete certificate chain.`;
const WEAK = 'Trusting the CA will not help. Ask the operators of the proxy, the internal CA or the service to replace the certificate with one that has an RSA key of at least 2048 bits and a SHA-256 signature.';
const INVALID = 'Ask the operators of the proxy, the internal CA or the service to replace the certificate with a valid one.';
const ALLOW_HOST = 'Check that the proxy allows connections to {host}, or add {host} to no_proxy.';
const OTHER_PORT = 'Check the port in the URL, and check whether a proxy or firewall is responding in place of the host.';
const NEWER_TLS = 'Enable TLS 1.2 or newer on the server, or on the proxy in front of it.';
const NO_CLIENT_CERTIFICATE = 'The action does not support client certificates. Ask the operators of {host}, or of the gateway in front of it, to allow connections without a client certificate.';
const LARGER_HEADER = "Find out which proxy or gateway adds the large headers. To raise the limit (by default, 16 KiB), set NODE_OPTIONS to --max-http-header-size=65536 in the step's env.";
const CHECK_BASE_URL = "Check base-url and the runner's network, firewall and proxy settings (https_proxy, no_proxy).";
const CHECK_NETWORK = "Check the runner's network, firewall and proxy settings (https_proxy, no_proxy). This host name comes from the service, not from base-url.";
const CHECK_PROXY = 'Check https_proxy and no_proxy on the runner.';
const NOT_ACCEPTED = 'Node rejected the certificate of {host}';
const NO_TLS = 'the TLS handshake with {host} failed';
const CLIENT_CERTIFICATE = [
    /^\w+ALERT_CERTIFICATE_REQUIRED /,
    '{host} requires a client certificate',
    NO_CLIENT_CERTIFICATE,
    'final',
];
const HANDSHAKE_FAILED = [/^(?:EPROTO|ERR_SSL_|ERR_TLS_)/, `${NO_TLS} ({why})`, '{check}'];
const EARLY = [
    [/^E[MN]FILE /, 'the runner has too many open files', TOO_MANY_FILES],
    [
        /^PROXY_ADDRESS /,
        '{message}',
        'Set the variable to a URL such as http://proxy.example.com:8080, or add {host} to no_proxy.',
        'final',
    ],
    [/^PROXY_REFUSED 407$/, 'the proxy refused a connection to {host} with HTTP 407', '{login}', 'final'],
    [/^PROXY_REFUSED /, 'the proxy refused a connection to {host} with HTTP {message}', ALLOW_HOST],
    [/key[ _]too[ _](?:weak|small)/i, `${NOT_ACCEPTED} (key too weak)`, WEAK, 'final'],
    [/(?:md|digest algorithm)[ _]too[ _]weak/i, `${NOT_ACCEPTED} (signature too weak)`, WEAK, 'final'],
    [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID) /, `${NOT_ACCEPTED} ({code})`, DATES, 'final'],
    [
        /^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(?:_LOCALLY)?) /,
        `${NOT_ACCEPTED} ({code})`,
        INCOMPLETE_CHAIN,
        'final',
    ],
    [/^ERR_TLS_CERT_ALTNAME_INVALID /, `${NOT_ACCEPTED} ({code})`, OTHER_HOST, 'final'],
    [
        /^(?:CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA |INVALID_PURPOSE |PATH_LENGTH_EXCEEDED |ERROR_IN_CE?RT_)/,
        `${NOT_ACCEPTED} ({code})`,
        UNKNOWN_CA,
        'final',
    ],
    [/^UNSPECIFIED /, `${NOT_ACCEPTED} ({message})`, INVALID, 'final'],
    [/^(?:ENOTFOUND|EAI_AGAIN) /, 'the host name {host} could not be resolved ({code})', '{check}'],
    [/^ECONNREFUSED /, '{host} refused the connection ({code})', '{check}'],
    [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH) /, '{host} could not be reached ({code})', '{check}'],
    [/^(?:ECONNRESET|EPIPE) /, 'the connection attempt to {host} failed ({code})', '{check}'],
    [/^DEADLINE /, 'no connection to {host} {message}', '{check}'],
    [
        /(?:wrong[ _]version[ _]number|packet[ _]length[ _]too[ _]long|http[ _]request)/i,
        `${NO_TLS} (the server does not speak TLS on this port)`,
        OTHER_PORT,
        'final',
    ],
    [
        /(?:unsupported[ _]protocol|protocol[ _]version)/i,
        `${NO_TLS} (the server supports only outdated versions of TLS)`,
        NEWER_TLS,
        'final',
    ],
    CLIENT_CERTIFICATE,
    [
        /^(?:EPROTO|ERR_SSL_|ERR_TLS_)(?!.*(?:internal|bad[ _]record[ _]mac|unexpected[ _]eof))/i,
        `${NO_TLS} ({why})`,
        '{check}',
        'final',
    ],
    HANDSHAKE_FAILED,
];
const OTHER_EARLY = [/^/, 'no connection to {host} ({why})', '{check}'];
const NOT_HTTP = [/^HPE_/, '{host} did not respond with HTTP ({code})'];
const LATE = [
    CLIENT_CERTIFICATE,
    [/^DEADLINE /, 'no response from {host} {message}'],
    [/^(?:ECONNRESET|EPIPE) /, 'the connection to {host} was lost before a response arrived ({code})'],
    [/^HPE_HEADER_OVERFLOW /, "the response headers from {host} exceed Node's limit ({code})", LARGER_HEADER, 'final'],
    NOT_HTTP,
];
const OTHER_LATE = [/^/, 'the connection to {host} failed without a response ({why})'];
const connection_LONGEST_MESSAGE = 2_000;
const OF_PROXY = [
    ...[...EARLY, ...LATE].filter(([, , , final]) => final !== undefined),
    HANDSHAKE_FAILED,
    NOT_HTTP,
    [/^(?:ECONNRESET|EPIPE) /, '{host} closed the connection ({code})'],
];
const OTHER_OF_PROXY = [/^/, '{host} could not be reached ({message})'];
function failureOfConnection(subject, answer) {
    const { call, hasExtraCas, host, clean } = subject;
    const { connected } = answer;
    const message = clean(answer.message, connection_LONGEST_MESSAGE);
    const isOfProxy = answer.code.startsWith(service_send/* PROXY_FAILED */.j3);
    const code = isOfProxy ? answer.code.slice(service_send/* PROXY_FAILED */.j3.length) : answer.code;
    const early = isOfProxy ? [OF_PROXY, OTHER_OF_PROXY] : [EARLY, OTHER_EARLY];
    const [rows, other] = connected ? [LATE, OTHER_LATE] : early;
    const row = rows.find(([when]) => when.test(`${code} ${message}`)) ?? other;
    const [, cause, remedy, final] = row;
    const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? message;
    const checkHost = call === 'exchange' ? CHECK_BASE_URL : CHECK_NETWORK;
    const words = {
        host: isOfProxy ? 'the proxy' : host,
        code,
        message: (0,base_text/* oneLine */.TN)(message, 200),
        why: (0,base_text/* oneLine */.TN)(reason.includes(code) ? reason : `${code} ${reason}`, 200),
        check: isOfProxy ? CHECK_PROXY : checkHost,
        login: proxyLoginRemedy(subject),
        trust: hasExtraCas ? CHECK_EXTRA_CAS : SET_EXTRA_CAS,
    };
    const fill = (text) => text.replace(/\{(\w+)\}/g, (all, name) => words[name] ?? all);
    const ofProxy = remedy === undefined || remedy === '{check}' ? '{check}' : `${remedy} {check}`;
    const advice = isOfProxy ? ofProxy : remedy;
    const problem = problemOf(call, fill(cause), advice && fill(advice));
    const isUnprocessed = !connected || row === CLIENT_CERTIFICATE;
    return { kind: isUnprocessed ? 'not_processed' : 'maybe_processed', problem, isFinal: final !== undefined };
}

;// CONCATENATED MODULE: ./service/exchange.js





const USUAL_TTL_S = 3_600;
const LONGEST_TTL_S = 86_400;
const LONGEST_REGION = 100;
function learnToken(answer, { apiKey, secrets }) {
    const { token } = (0,base_json/* asObject */.eB)((0,base_json/* parseJson */.qF)(answer.text));
    if (isUsable(token, apiKey) && (is2xx(answer) || token.length >= SHORTEST_IN_ERROR))
        secrets.add(token);
}
function isUsable(text, apiKey) {
    return typeof text === 'string' && /^[!-~]{1,8192}$/.test(text) && !text.includes(apiKey);
}
const WRONG_SERVICE = "Check that base-url is the application's URL, and that the secret contains an API key that has not been revoked.";
function grantOf(subject, json, answer, { apiKey, baseUrl, secrets }, unusable) {
    const rejected = (why) => ({ kind: 'rejected', problem: answerProblem(subject, answer, why) });
    if (json === undefined) {
        const why = flawOf(answer, subject);
        return isHtml(answer) ? rejected(why) : unusable(why);
    }
    const { token, backend_url: address, backend_anon_key: anonKey, ttl_seconds: ttl, region } = (0,base_json/* asObject */.eB)(json);
    if (!isUsable(token, apiKey)) {
        const why = 'without a usable token';
        const isGrant = [token, address, anonKey].some((each) => each !== undefined);
        if (answer.body !== 'complete')
            return unusable(why);
        return {
            kind: 'key_rejected',
            problem: { ...answerProblem(subject, answer, why), remedy: isGrant ? KEY_REMEDY : WRONG_SERVICE, isOfKey: true },
        };
    }
    if (!isUsable(anonKey, apiKey))
        return rejected('without a usable backend_anon_key');
    const given = typeof address === 'string' ? address : '';
    const api = (0,base_address/* checkAddress */.l_)(given, (backend) => (0,base_address/* isLoopback */.U9)(baseUrl) && (0,base_address/* isLoopback */.U9)(backend));
    if ('why' in api)
        return rejected(`with a backend_url that ${api.why}`);
    if ([given, api.url.href].some((text) => secrets.isIn(text)))
        return rejected('with a backend_url that contains a secret');
    const ttlS = typeof ttl === 'number' && ttl > 0 && ttl <= LONGEST_TTL_S ? ttl : USUAL_TTL_S;
    const where = typeof region === 'string' ? secrets.clean(region, LONGEST_REGION) : '';
    return { kind: 'granted', token, anonKey, apiUrl: api.url, region: where, ttlMs: ttlS * 1_000 };
}
function exchangedIn({ result, credential }) {
    if (result.kind === 'rejected' && credential === 'refused')
        return { kind: 'key_rejected', problem: result.problem };
    return result.kind === 'maybe_processed' ? { ...result, kind: 'not_processed' } : result;
}

// EXTERNAL MODULE: ./service/proxy.js
var service_proxy = __nccwpck_require__(293);
;// CONCATENATED MODULE: ./service/secrets.js

const MOST_TOKENS = 100;
class Secrets {
    #spellings = new Map();
    #onSecret;
    #searches;
    constructor(apiKey, onSecret) {
        this.#onSecret = onSecret;
        this.#add(apiKey);
    }
    add(token) {
        if (token.length < base_text/* SHORTEST_SECRET */.c3 || this.#spellings.has(token))
            return;
        this.#add(token);
        const [, ...tokens] = this.#spellings.keys();
        for (const old of tokens.slice(0, -MOST_TOKENS))
            this.#spellings.delete(old);
    }
    #add(secret) {
        this.#onSecret(secret);
        this.#spellings.set(secret, spellingsOf(secret));
        this.#searches = undefined;
    }
    clean(text, longest, { flatten = base_text/* flat */.Ct, remove = (same) => same } = {}) {
        return (0,base_text/* shorten */.ml)(remove(this.#redact(flatten(text))), longest);
    }
    isIn(text) {
        return this.#redact(text) !== text;
    }
    #redact(text) {
        const all = [...this.#spellings.values()];
        this.#searches ??= {
            plain: new Search(all.flatMap(({ plain }) => plain)),
            decoded: new Search(all.flatMap((each) => each.decoded)),
        };
        const found = this.#searches.plain.in(text);
        if (/[%\\]/.test(text)) {
            const { decoded, places } = decode(text);
            for (const [from, to] of this.#searches.decoded.in(decoded))
                found.push([places[from] ?? 0, places[to] ?? text.length]);
        }
        return without(found, text);
    }
}
function spellingsOf(secret) {
    const inBase64 = [0, 1, 2].flatMap((bytesBefore) => {
        const bytes = Buffer.concat([Buffer.alloc(bytesBefore), Buffer.from(secret)]);
        const [from, to] = [Math.ceil((bytesBefore * 8) / 6), Math.floor((bytes.length * 8) / 6)];
        return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)];
    });
    const plain = [...new Set([secret, ...inBase64])];
    return { plain, decoded: [...new Set([...plain, ...plain.map((each) => decode(each).decoded)])] };
}
const MOST_HASHED = 16;
const BASE = 31;
const MOST_COMPARED = 4_000_000;
class Search {
    #secrets = new Map();
    #length;
    #weight;
    constructor(secrets) {
        this.#length = Math.min(MOST_HASHED, ...secrets.map(({ length }) => length));
        let weight = 1;
        for (let nth = 0; nth < this.#length; nth += 1)
            weight = Math.imul(weight, BASE);
        this.#weight = weight;
        for (const secret of secrets) {
            const hash = this.#hashOf(secret);
            this.#secrets.set(hash, [...(this.#secrets.get(hash) ?? []), secret]);
        }
    }
    #hashOf(text) {
        let hash = 0;
        for (let at = 0; at < this.#length; at += 1)
            hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
        return hash;
    }
    in(text) {
        const ranges = [];
        let hash = this.#hashOf(text);
        let left = MOST_COMPARED;
        for (let from = 0; from + this.#length <= text.length; from += 1) {
            const secrets = this.#secrets.get(hash);
            if (secrets !== undefined)
                for (const secret of secrets) {
                    left -= secret.length;
                    if (left < 0)
                        return [...ranges, [from, text.length]];
                    if (text.startsWith(secret, from))
                        ranges.push([from, from + secret.length]);
                }
            const added = Math.imul(hash, BASE) + text.charCodeAt(from + this.#length);
            hash = (added - Math.imul(text.charCodeAt(from), this.#weight)) | 0;
        }
        return ranges;
    }
}
function without(ranges, text) {
    const parts = [];
    let end = 0;
    for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
        if (from >= end)
            parts.push(text.slice(end, from), '***');
        end = Math.max(end, to);
    }
    return parts.join('') + text.slice(end);
}
function decode(text) {
    const codes = new Uint16Array(text.length);
    const places = new Uint32Array(text.length + 1);
    let length = 0;
    let at = 0;
    while (at < text.length) {
        const first = text[at];
        const second = first === '\\' ? text[at + 1] : undefined;
        const prefix = first === '%' ? 1 : second === 'u' && text.startsWith('00', at + 2) ? 4 : 0;
        const code = prefix === 0 ? -1 : 16 * hexDigit(text.charCodeAt(at + prefix)) + hexDigit(text.charCodeAt(at + prefix + 1));
        const isEscaped = second === '"' || second === '\\' || second === '/';
        places[length] = at;
        codes[length] = code >= 0 ? code : text.charCodeAt(isEscaped ? at + 1 : at);
        at += code >= 0 ? prefix + 2 : isEscaped ? 2 : 1;
        length += 1;
    }
    places[length] = at;
    return { decoded: Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'), places };
}
function hexDigit(code) {
    if (code >= 0x30 && code <= 0x39)
        return code - 0x30;
    const letter = code | 0x20;
    return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1_000;
}

;// CONCATENATED MODULE: ./service/session.js



const REQUEST_WITHIN_MS = 30_000;
const RENEW_AFTER = 0.9;
const RENEW_AGAIN_MS = 30_000;
const FINAL_REJECTIONS = 3;
const FINAL_AFTER_MS = 60_000;
const SOONER = `The step gives up sooner if the service rejects the key ${FINAL_REJECTIONS} times over at least ${(0,duration/* formatDuration */.a3)(FINAL_AFTER_MS)}.`;
const TOKENS_PER_CALL = { exchange: 1, list: 3, trigger: 3, read: 2, cancel: 2 };
const REPLACE_EVERY_MS = 5_000;
const EXCHANGE_AGAIN_MS = 1_000;
class Session {
    #exchange;
    #host;
    #clock;
    #isFirstRejectionFinal;
    #grant;
    #bornAt = -Infinity;
    #renewal;
    #failedAt = -Infinity;
    #droppedAt = -Infinity;
    #unproven;
    #rejections = 0;
    #rejectedAt = Infinity;
    constructor(exchange, host, clock, isFirstRejectionFinal) {
        this.#exchange = exchange;
        this.#host = host;
        this.#clock = clock;
        this.#isFirstRejectionFinal = isFirstRejectionFinal;
    }
    async grant(options = {}) {
        if (options.signal?.aborted)
            return { kind: 'aborted' };
        const now = this.#clock.now();
        const grant = this.#valid;
        if (grant === undefined)
            return this.#renewed(options);
        const isDue = now - this.#bornAt >= grant.ttlMs * RENEW_AFTER && !this.#hasJustFailed;
        if (isDue && this.#renewal === undefined)
            void this.#renew(REQUEST_WITHIN_MS);
        return grant;
    }
    async call(name, send, options) {
        const { shareMs, signal, withinMs = Infinity } = options;
        const until = this.#clock.now() + withinMs;
        const leftMs = () => Math.max(0, until - this.#clock.now());
        const limits = () => ({ shareMs, signal, withinMs: Math.min(REQUEST_WITHIN_MS, leftMs()) });
        const pauseMs = Math.min(withinMs, this.#pauseMs(name));
        if (pauseMs > 0)
            await pause(this.#clock, pauseMs, ...(signal ? [signal] : []));
        let grant = await this.grant(limits());
        for (let tokens = 1; grant.kind === 'granted'; tokens += 1) {
            const { result, credential } = await send(grant, leftMs());
            if (credential === 'accepted')
                this.#unproven = undefined;
            if (credential === 'refused' && this.#grant === grant && !this.#drop(name))
                return result;
            if (credential === 'accepted' || credential === 'none' || tokens >= TOKENS_PER_CALL[name])
                return result;
            if (credential === 'refused') {
                grant = await this.grant(limits());
            }
            else {
                const other = await this.#replacementOf(grant, limits());
                if (other === undefined)
                    return signal?.aborted ? { kind: 'aborted' } : result;
                grant = other;
            }
        }
        return grant;
    }
    #pauseMs(name) {
        const isNext = this.#valid === undefined && this.#renewal === undefined;
        return isNext && isRepeatedSoon(name) ? this.#failedAt + EXCHANGE_AGAIN_MS - this.#clock.now() : 0;
    }
    #drop(name) {
        const now = this.#clock.now();
        if (isRepeatedSoon(name) && now - this.#droppedAt < REPLACE_EVERY_MS)
            return false;
        this.#grant = undefined;
        this.#droppedAt = now;
        return true;
    }
    async #replacementOf(doubted, options) {
        const isCurrent = this.#valid === doubted;
        const isUseless = doubted === this.#unproven || (this.#renewal === undefined && this.#hasJustFailed);
        if (isCurrent && isUseless)
            return undefined;
        const other = await (isCurrent ? this.#renewed(options) : this.grant(options));
        if (other.kind !== 'granted')
            return undefined;
        if (isCurrent)
            this.#unproven = other;
        return other;
    }
    get #valid() {
        const { ttlMs = 0 } = this.#grant ?? {};
        return this.#clock.now() - this.#bornAt < ttlMs ? this.#grant : undefined;
    }
    get #hasJustFailed() {
        return this.#clock.now() - this.#failedAt < RENEW_AGAIN_MS;
    }
    #renewed({ signal, withinMs = REQUEST_WITHIN_MS, shareMs = withinMs }) {
        const { startedAt = -Infinity, result } = this.#renewal ?? {};
        const isStalled = this.#clock.now() - startedAt >= Math.min(withinMs, shareMs);
        return this.#waitFor(result === undefined || isStalled ? this.#renew(withinMs) : result, withinMs, signal);
    }
    #renew(withinMs) {
        const startedAt = this.#clock.now();
        const result = this.#exchange(withinMs).then((exchanged) => {
            if (this.#renewal?.result === result)
                this.#renewal = undefined;
            return this.#keep(exchanged, startedAt);
        });
        this.#renewal = { startedAt, result };
        return result;
    }
    #keep(exchanged, startedAt) {
        const newer = startedAt < this.#bornAt ? this.#valid : undefined;
        if (newer !== undefined)
            return newer;
        if (exchanged.kind === 'granted') {
            this.#grant = exchanged;
            this.#bornAt = startedAt;
            this.#failedAt = -Infinity;
            this.#rejections = 0;
            this.#rejectedAt = Infinity;
            return exchanged;
        }
        this.#failedAt = this.#clock.now();
        if (exchanged.kind === 'key_rejected')
            return this.#rejected(exchanged.problem, startedAt);
        if (this.#wasNeverGranted || exchanged.kind !== 'rejected')
            return exchanged;
        return notProcessed(exchanged.problem);
    }
    #rejected(problem, startedAt) {
        if (this.#valid === undefined) {
            this.#rejections += 1;
            this.#rejectedAt = Math.min(this.#rejectedAt, startedAt);
        }
        const isFirstFinal = this.#wasNeverGranted && this.#isFirstRejectionFinal;
        const areEnough = this.#rejections >= FINAL_REJECTIONS && startedAt - this.#rejectedAt >= FINAL_AFTER_MS;
        if (isFirstFinal || areEnough)
            return { kind: 'key_invalid', problem };
        return { kind: 'not_processed', problem, remark: SOONER };
    }
    get #wasNeverGranted() {
        return this.#bornAt === -Infinity;
    }
    async #waitFor(renewal, withinMs, signal) {
        const done = new AbortController();
        const givenUp = pause(this.#clock, withinMs, done.signal, ...(signal ? [signal] : [])).then(() => {
            if (signal?.aborted)
                return { kind: 'aborted' };
            const cause = `no response from ${this.#host} within ${(0,duration/* formatDuration */.a3)(withinMs)}`;
            return notProcessed(problemOf('exchange', cause));
        });
        try {
            return await Promise.race([renewal, givenUp]);
        }
        finally {
            done.abort();
        }
    }
}
function isRepeatedSoon(name) {
    return name === 'read' || name === 'cancel';
}
function notProcessed(problem) {
    return { kind: 'not_processed', problem };
}

;// CONCATENATED MODULE: ./service/api.js
















const USUAL = { withinMs: REQUEST_WITHIN_MS, maxBytes: 262_144 };
const LIST_BYTES = 4_194_304;
const PAGE_ROWS = 1_000;
const PAGE_BYTES = 1_048_576;
const OF_TRIGGER = { withinMs: 15_000, answerMs: 120_000, maxBytes: 262_144 };
const TRIGGER_WITHIN_MS = OF_TRIGGER.withinMs + OF_TRIGGER.answerMs;
const MOST_REQUESTS = 50;
const api_LONGEST_MESSAGE = 16_384;
const LONGEST_STATUS = 100;
const LONGEST_DEBUG_LINE = 500;
const MESSAGE_TOO_LONG = '(status message omitted: the response was too large)';
class Service {
    #parts;
    #secrets;
    #session;
    #slots = new Slots(MOST_REQUESTS);
    #withoutMessage = new Set();
    #maskedOfProxies = new Set();
    constructor(parts) {
        this.#parts = parts;
        this.#secrets = new Secrets(parts.apiKey, parts.setSecret);
        const { baseUrl, clock, isFirstRejectionFinal = false } = parts;
        const exchange = (withinMs) => this.#exchangeOnce(withinMs);
        this.#session = new Session(exchange, baseUrl.host, clock, isFirstRejectionFinal);
    }
    async exchange(options = {}) {
        const grant = await this.#session.grant(options);
        if (grant.kind !== 'granted')
            return grant;
        const { apiUrl, kind, region } = grant;
        return { kind, apiUrl, region };
    }
    list(options = {}) {
        return this.#list('', LIST_BYTES, options);
    }
    listPage(lastId, options = {}) {
        const after = lastId === undefined ? '' : `&pipeline_id=gt.${lastId}`;
        return this.#list(`&order=pipeline_id&limit=${PAGE_ROWS}${after}`, PAGE_BYTES, options);
    }
    #list(parameters, maxBytes, options) {
        let rows;
        const call = {
            call: 'list',
            method: 'GET',
            path: `/rest/v1/pipelines_and_datasources?select=pipeline_id,pipeline_name,pipeline_api_name${parameters}`,
            limits: { ...USUAL, maxBytes },
            parseBody: async (text) => {
                if (!text.trimStart().startsWith('['))
                    return (0,base_json/* parseJson */.qF)(text);
                rows = await this.#rowsOf(text);
                return rows;
            },
            parse: (_, answer, unusable) => {
                if (rows === undefined)
                    return unusable('with a body that is not a list of rows');
                const isNonsense = rows.rowCount > 0 && rows.pipelines.length === 0;
                return isNonsense
                    ? unusable('with rows that lack pipeline_id')
                    : { ...rows, isPartial: saysPartial(answer, rows.rowCount) };
            },
        };
        return this.#call(call, options);
    }
    trigger(order, { beforeSend, signal }) {
        const call = {
            call: 'trigger',
            method: 'POST',
            path: '/rest/v1/rpc/create_pipeline_run_job',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({
                p_pipeline_id: order.pipelineId,
                p_job_type: 'pipeline_run',
                p_full_resync: order.fullResync,
                p_reset_target: order.resetTarget,
            }),
            limits: { ...OF_TRIGGER, isEnough: (text) => idIn(text) !== undefined },
            beforeSend,
            parse: (json, { body, text }, unusable) => {
                if (json === null && body === 'complete')
                    return { kind: 'rejected', problem: NO_CREDITS };
                const jobId = idIn(text);
                return jobId === undefined ? unusable('without a run id') : { kind: 'queued', jobId };
            },
        };
        return this.#call(call, { signal });
    }
    read(jobId, options = {}) {
        return this.#callAbout(jobId, { call: 'read', method: 'GET' }, options);
    }
    cancel(jobId, options = {}) {
        const call = {
            call: 'cancel',
            method: 'PATCH',
            headers: { 'content-type': 'application/json', prefer: 'return=representation' },
            body: JSON.stringify({ job_status: 'cancelled' }),
        };
        return this.#callAbout(jobId, call, options);
    }
    #callAbout(jobId, call, options) {
        const filter = call.method === 'PATCH' ? `&job_status=in.(${CANCELLABLE_STATUSES.join(',')})` : '';
        const isShort = this.#withoutMessage.has(jobId);
        const path = `/rest/v1/jobs?id=eq.${jobId}${filter}&select=id,job_status${isShort ? '' : ',status_message'}`;
        const parse = (json, { body, text }, unusable) => {
            if (body === 'too large' && text.trimStart().startsWith('['))
                this.#withoutMessage.add(jobId);
            return this.#rowOf(json, jobId, isShort, unusable);
        };
        return this.#call({ ...call, path, limits: USUAL, parse }, options);
    }
    #rowOf(json, jobId, isShort, unusable) {
        if (!Array.isArray(json))
            return unusable('with a body that is not a list of rows');
        if (json.length === 0)
            return { kind: 'none' };
        if (json.length > 1)
            return unusable(`with ${json.length} rows instead of one`);
        const { id, job_status: status, status_message: message } = (0,base_json/* asObject */.eB)(json[0]);
        if (asUuid(id) !== jobId)
            return unusable('with the row of another run');
        if (typeof status !== 'string')
            return unusable('with a row that lacks job_status');
        const received = typeof message === 'string' ? this.#secrets.clean(message, api_LONGEST_MESSAGE, { flatten: base_text/* unescaped */.tv }) : '';
        const text = isShort ? MESSAGE_TOO_LONG : received;
        return { kind: 'job', job: { status: this.#statusOf(status), message: text } };
    }
    #statusOf(status) {
        if (!isUnrecognized(status))
            return status;
        const safe = this.#secrets.clean(status, LONGEST_STATUS, { flatten: base_text/* untrimmed */.eq });
        const ours = WITHOUT_STATUS;
        const isPlain = !ours.includes(status) && /^\w[\w.-]*$/.test(status) && status.length <= LONGEST_STATUS && safe === status;
        return isPlain ? status : `"${(0,base_text/* withoutCommands */.Df)(safe).replaceAll('"', "'")}"`;
    }
    async #rowsOf(text) {
        const { clock } = this.#parts;
        const pipelines = [];
        let rowCount = 0;
        for await (const piece of inSlices((0,base_json/* piecesOf */.Xe)(text), clock)) {
            if (!Array.isArray(piece))
                return undefined;
            rowCount += piece.length;
            for await (const row of inSlices(piece, clock)) {
                const pipeline = this.#pipelineOf((0,base_json/* asObject */.eB)(row));
                if (pipeline !== undefined)
                    pipelines.push(pipeline);
            }
        }
        return { kind: 'pipelines', pipelines, rowCount };
    }
    #pipelineOf(row) {
        const id = asUuid(row['pipeline_id']);
        if (id === undefined)
            return undefined;
        const textOf = (value) => (typeof value === 'string' && value.length <= base_text/* LONGEST_NAME */.B6 ? value : '');
        const [name, apiName] = [textOf(row['pipeline_name']), textOf(row['pipeline_api_name'])];
        const shown = (text) => (0,base_text/* asSeen */.aX)(this.#secrets.clean(text, base_text/* LONGEST_NAME */.B6));
        const received = [name, apiName].map((each) => this.#secrets.clean(each, Infinity, { flatten: (same) => same }));
        return { id, name: shown(name), apiName: shown(apiName), received };
    }
    #call(call, options) {
        const { signal } = options;
        const send = async ({ anonKey, apiUrl, token }, leftMs) => {
            if (signal?.aborted)
                return { result: { kind: 'aborted' }, credential: 'none' };
            const problem = call.beforeSend?.();
            if (problem !== undefined)
                return { result: { kind: 'aborted', problem }, credential: 'none' };
            const { method, path, body, limits } = call;
            const url = (0,base_address/* under */.hG)(apiUrl, path);
            const headers = { authorization: `Bearer ${token}`, apikey: anonKey, ...call.headers };
            const withinMs = Math.min(limits.withinMs, leftMs);
            const answer = await this.#send({ method, url, headers, body }, { ...limits, withinMs, signal });
            return this.#replyIn(this.#subject(call.call, url), answer, call.parse, call.parseBody);
        };
        return this.#session.call(call.call, send, options);
    }
    async #exchangeOnce(withinMs) {
        const { apiKey, baseUrl } = this.#parts;
        const parts = { apiKey, baseUrl, secrets: this.#secrets };
        const url = (0,base_address/* under */.hG)(baseUrl, '/api/cli/bootstrap');
        const headers = { authorization: `Bearer ${apiKey}` };
        const answer = await this.#send({ method: 'POST', url, headers }, { ...USUAL, withinMs });
        if (answer.kind === 'answered')
            learnToken(answer, parts);
        const subject = this.#subject('exchange', url);
        const reply = await this.#replyIn(subject, answer, (json, answered, unusable) => grantOf(subject, json, answered, parts, unusable));
        return exchangedIn(reply);
    }
    async #replyIn(subject, answer, parse, parseBody) {
        if (answer.kind === 'aborted')
            return { result: answer, credential: 'none' };
        if (answer.kind === 'unanswered')
            return { result: failureOfConnection(subject, answer), credential: 'none' };
        if (!is2xx(answer))
            return replyOfStatus(subject, errorIn(answer), this.#parts.clock.wall());
        const json = parseBody !== undefined && isDelimited(answer) ? await parseBody(answer.text) : jsonOf(answer);
        const unusable = (why) => {
            const problem = answerProblem(subject, answer, json === undefined ? flawOf(answer, subject) : why);
            if (subject.call === 'list' && json !== undefined)
                return { kind: 'rejected', problem };
            return { kind: 'maybe_processed', problem };
        };
        return { result: parse(json, answer, unusable), credential: json === undefined ? 'none' : 'accepted' };
    }
    #subject(call, url) {
        const { baseUrl, env } = this.#parts;
        const { host, pathname } = url;
        const hasExtraCas = (env['NODE_EXTRA_CA_CERTS'] ?? '') !== '';
        const hasProxyLogin = (0,service_proxy/* proxySecrets */.Wm)(url, env).length > 0;
        const basePath = baseUrl.pathname.replace(/\/$/, '');
        const clean = (text, longest, cleaning) => this.#secrets.clean(text, longest, cleaning);
        return { call, host, path: pathname, basePath, hasExtraCas, hasProxyLogin, clean };
    }
    async #send(request, limits) {
        const { clock, debug, send } = this.#parts;
        const { method, url } = request;
        const calledAt = clock.now();
        if (method !== 'POST')
            await this.#slots.take();
        const startedAt = clock.now();
        const withinMs = Math.max(0, limits.withinMs - (startedAt - calledAt));
        this.#maskProxy(url);
        const answer = limits.signal?.aborted ? { kind: 'aborted' } : await send(request, { ...limits, withinMs });
        if (method !== 'POST')
            this.#slots.release();
        const result = `${resultOf(answer)}, ${Math.round(clock.now() - startedAt)} ms`;
        const line = `${method} ${url.pathname}${url.search}: ${result}`;
        debug((0,base_text/* oneLine */.TN)(this.#secrets.clean(line, LONGEST_DEBUG_LINE), LONGEST_DEBUG_LINE));
        return answer;
    }
    #maskProxy(url) {
        const { env, setSecret } = this.#parts;
        for (const secret of (0,service_proxy/* proxySecrets */.Wm)(url, env)) {
            if (this.#maskedOfProxies.has(secret))
                continue;
            this.#maskedOfProxies.add(secret);
            setSecret(secret);
        }
    }
}
function errorIn(answer) {
    const { maxBytes } = USUAL;
    return answer.text.length > maxBytes
        ? { ...answer, text: answer.text.slice(0, maxBytes), body: 'too large' }
        : answer;
}
function saysPartial({ headers, status }, rowCount) {
    const [, total = ''] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
    return status === 206 || Number(total) > rowCount;
}
const NO_CREDITS = problemOf('trigger', 'the account has no sync credits left', "Add credits to this API key's account.");
function idIn(text) {
    return asUuid((0,base_json/* parseJson */.qF)(text.trim()));
}
function resultOf(answer) {
    if (answer.kind === 'aborted')
        return 'aborted';
    if (answer.kind === 'answered')
        return `HTTP ${answer.status}${answer.body === 'complete' ? '' : `, body ${answer.body}`}`;
    const { code, connected, message } = answer;
    return `no response (${connected ? 'connected' : 'not connected'}: ${code === '' ? message : code})`;
}

;// CONCATENATED MODULE: ./action/input-table.js




const INPUTS = {
    'api-key': {
        type: 'text',
        required: true,
        description: "The workspace's API key. Store it as a secret.",
        details: 'Keys begin with ak_. By default, GitHub passes no secrets to pull requests from forks, and only Dependabot secrets to those from Dependabot.',
        cancel: "API key (`ak_…`) of the runs' workspace. Store it as a secret.",
    },
    'base-url': {
        type: 'text',
        required: true,
        description: 'URL of the application. `https` is required, except for loopback addresses.',
        details: 'Example: https://app.example.com.',
        cancel: 'URL of the application, such as `https://app.example.com`.',
    },
    pipeline: {
        type: 'lines',
        description: 'API names, names or UUIDs of pipelines, one per line. Required unless `job-id` is set.',
        page: 'docs/using.md#several-pipelines',
        details: 'The step triggers one run for each pipeline.',
    },
    'job-id': {
        type: 'lines',
        description: 'Ids of existing runs to wait for, one per line. If the `pipeline` input is also set, enter the id of the run to resume.',
        page: 'docs/using.md#wait-for-existing-runs',
        details: 'If that run has not finished, the step waits for it. If it had already finished with a status that is not in succeed-on, the step triggers a new one. If the pipeline input is empty, the step triggers nothing.',
        cancel: 'Ids of the runs to cancel, one per line. If this input is empty, the step prints a notice and succeeds.',
    },
    'full-resync': {
        type: 'boolean',
        default: 'false',
        description: 'Load all data, not only new data.',
        details: "This resets the pipeline's cursors.",
    },
    'reset-target': {
        type: 'boolean',
        default: 'false',
        description: '**Drop and recreate the destination tables** first.',
        page: 'docs/using.md#full-resync-and-reset',
        details: 'This cannot be undone. Requires full-resync and exactly one pipeline.',
    },
    wait: {
        type: 'boolean',
        default: 'true',
        description: 'Wait until the run has finished. If `false`, the step succeeds as soon as the run is queued.',
    },
    'poll-interval': {
        type: 'duration',
        default: '30s',
        description: `Time between status checks, at least ${(0,duration/* formatDuration */.a3)(MIN_POLL_INTERVAL_MS)}.`,
    },
    timeout: {
        type: 'duration',
        description: 'How long the step waits, from its first request. Default: no limit.',
        details: 'When it expires, the step triggers no more runs, applies on-timeout to unfinished ones, and fails. With wait: false, queued runs continue, and the step fails only if it has not triggered all runs. In the job, set timeout-minutes at least 5 minutes higher, plus the time of earlier steps, so that the step can cancel the run.',
    },
    'queue-timeout': {
        type: 'duration',
        description: 'Maximum time that a run can stay `queued` without interruption. Default: no limit.',
        details: 'When it expires, the step checks the status. If the run is still queued, the step applies on-timeout and fails.',
    },
    'on-timeout': {
        type: 'choice',
        values: ['cancel', 'leave'],
        description: 'What to do with the run after a timeout. Default: `cancel`, or `leave` if only `job-id` is set.',
    },
    'on-cancel': {
        type: 'choice',
        values: ['cancel', 'leave'],
        description: 'What to do with the run if the workflow, job or step is cancelled or killed. Same default as `on-timeout`.',
    },
    'succeed-on': {
        type: 'statuses',
        values: FINAL_STATUSES,
        default: 'completed, completed_with_warning, skipped',
        description: 'Final statuses that count as success, separated by commas or line breaks.',
    },
    'max-attempts': {
        type: 'count',
        most: 10,
        default: '1',
        description: 'Attempts per pipeline, including the first.',
        page: 'docs/using.md#retry-a-failed-run',
        details: 'Another attempt starts only if the run finishes with a status in retry-on.',
    },
    'retry-on': {
        type: 'statuses',
        values: FINAL_STATUSES.filter(isRetryable),
        default: 'failed, timed_out',
        description: 'Final statuses that lead to another attempt, separated by commas or line breaks.',
        details: 'Statuses in succeed-on are not allowed here. This input has no effect if max-attempts is 1.',
    },
    'retry-delay': { type: 'duration', default: '1m', description: 'Pause before the next attempt.' },
    'max-parallel': {
        type: 'count',
        description: 'Maximum number of pipelines that run at the same time. Default: all.',
    },
    'fail-fast': {
        type: 'boolean',
        default: 'false',
        description: 'Once a pipeline has failed (after its last attempt), trigger no more runs and apply `on-cancel` to unfinished ones.',
    },
    'on-lost-response': {
        type: 'choice',
        values: ['fail', 'retry'],
        default: 'fail',
        description: 'What to do if the response to a trigger is lost. With `retry`, several runs can be queued.',
    },
    'max-outage': {
        type: 'duration',
        default: '15m',
        description: 'How long requests of one kind can keep failing before the step gives up.',
        page: 'docs/limits.md#outages',
        details: 'The step then fails. Existing runs continue.',
    },
    'run-url': {
        type: 'text',
        description: 'Template for links to runs, such as `https://app.example.com/runs/{job-id}`.',
        details: '{pipeline-id} is also allowed. The link appears in the log, annotations, summary and outputs.',
    },
    'dry-run': {
        type: 'boolean',
        default: 'false',
        description: 'Check the inputs, key and pipelines without triggering a run.',
        page: 'docs/using.md#dry-run',
    },
    summary: {
        type: 'boolean',
        default: 'true',
        description: 'Write a job summary.',
        details: 'This input also applies to the post step.',
    },
    'internal-job-status': {
        type: 'text',
        expression: '${{ job.status }}',
        description: 'Do not set this input. The action uses its default.',
    },
};
const INPUT_NAMES = Object.keys(INPUTS);
const CANCEL_INPUT_NAMES = INPUT_NAMES.filter((name) => declared(name).cancel !== undefined);
function declared(name) {
    return INPUTS[name];
}

;// CONCATENATED MODULE: ./action/input-reader.js




const LONGEST_MS = 24 * 86_400_000;
const LONGEST_ENTRY = 80;
class InputReader {
    mistakes;
    #toolkit;
    #explained;
    constructor(toolkit, mistakes, explained) {
        this.#toolkit = toolkit;
        this.mistakes = [...mistakes];
        this.#explained = new Set(explained.filter((name) => !this.isGiven(name)));
    }
    mistake(name, whatAndHow) {
        if (this.isExplained(name))
            return;
        const isUnevaluated = EXPRESSION.test(this.#toolkit.getInput(name));
        if (isUnevaluated)
            this.#explained.add(name);
        this.mistakes.push(`Input ${name} ${isUnevaluated ? UNEVALUATED : whatAndHow}`);
    }
    isExplained(name) {
        return this.#explained.has(name);
    }
    isGiven(name) {
        return this.#toolkit.getInput(name) !== '';
    }
    isChanged(name) {
        return this.text(name) !== defaultOf(name);
    }
    text(name) {
        const given = this.#toolkit.getInput(name);
        const key = this.#toolkit.getInput('api-key');
        if (name !== 'api-key' && key.length >= base_text/* SHORTEST_SECRET */.c3 && given.includes(key)) {
            this.mistake(name, 'contains the API key, which would appear in the log. Use the key only in api-key.');
            this.#explained.add(name);
            return defaultOf(name);
        }
        return given === '' ? defaultOf(name) : given;
    }
    list(name, separator = /[\r\n]/) {
        const entries = this.text(name).split(separator);
        return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
    }
    boolean(name) {
        const text = this.text(name);
        const isBoolean = /^(?:true|True|TRUE|false|False|FALSE)$/.test(text);
        if (!isBoolean)
            this.mistake(name, `is ${(0,base_text/* quoted */.TL)(text)}. Set it to true or false.`);
        return isBoolean && text.toLowerCase() === 'true';
    }
    choice(name) {
        const text = this.text(name);
        const { values } = INPUTS[name];
        const choice = values.find((each) => each === text);
        if (choice === undefined)
            this.mistake(name, `is ${(0,base_text/* quoted */.TL)(text)}. Set it to ${values.map((each) => (0,base_text/* quoted */.TL)(each)).join(' or ')}.`);
        return choice ?? values[0];
    }
    duration(name) {
        const text = this.text(name);
        if (text === '')
            return Infinity;
        const ms = (0,duration/* parseDuration */.E9)(text) ?? NaN;
        if (ms > 0 && ms <= LONGEST_MS)
            return ms;
        const example = defaultOf(name) === '' ? '45m, or remove this input to wait without a limit' : defaultOf(name);
        const mistake = ms >= 0 || Number(text) === 0
            ? `, but ${ms > 0 ? 'the maximum is 24d' : 'it must be above zero'}. Set it to a duration such as ${example}.`
            : /^\d+(?:\.\d+)?$/.test(text)
                ? `, which has no unit. Set it to ${text}s, ${text}m or ${text}h.`
                : '. Set it to a duration such as 90s, 15m or 1h30m.';
        this.mistake(name, `is ${(0,base_text/* quoted */.TL)(text)}${mistake}`);
        return Infinity;
    }
    durationFrom(name, minMs, reason) {
        const ms = this.duration(name);
        const least = (0,duration/* formatDuration */.a3)(minMs);
        if (ms < minMs)
            this.mistake(name, `is ${(0,base_text/* quoted */.TL)(this.text(name))}, but ${reason} ${least}. Set it to ${least} or more.`);
        return ms;
    }
    count(name, otherwise) {
        const { most = Infinity } = declared(name);
        const text = this.text(name);
        if (text === '')
            return Infinity;
        if (/^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= most)
            return Number(text);
        const range = most === Infinity ? 'above zero' : `from 1 to ${most}`;
        this.mistake(name, `is ${(0,base_text/* quoted */.TL)(text)}, but it must be a whole number ${range}. Correct it, or remove this input ${otherwise}.`);
        return 1;
    }
    statuses(name) {
        const statuses = [...new Set(this.list(name, /[,\r\n]/))];
        const wrong = statuses.filter((status) => !isFinalStatus(status));
        const all = INPUTS[name].values.join(', ');
        if (wrong.length > 0)
            this.mistake(name, `contains ${quotedList(wrong)}. Use only these statuses: ${all}.`);
        else if (statuses.length === 0)
            this.mistake(name, `contains no statuses. Use at least one of these: ${all}.`);
        return statuses.filter((status) => !wrong.includes(status));
    }
}
const EXPRESSION = /\$\{\{.*\}\}/s;
const UNEVALUATED = 'contains an expression (${{ … }}) that GitHub did not evaluate. GitHub evaluates expressions only in workflow files, not in the values of variables, secrets, inputs and outputs. Write the expression directly under with.';
function defaultOf(name) {
    return declared(name).default ?? '';
}
function quotedList(texts) {
    return (0,base_text/* listed */.KE)(texts.map((text) => (0,base_text/* quoted */.TL)(text, LONGEST_ENTRY)));
}

;// CONCATENATED MODULE: ./action/client.js




function mask({ toolkit }, secret) {
    for (const line of secret.split(/[\r\n]/))
        if (line.length >= base_text/* SHORTEST_SECRET */.c3)
            toolkit.setSecret(line);
}
function maskKey(world) {
    mask(world, world.toolkit.getInput('api-key'));
}
function openService(world, { apiKey, baseUrl }, options = {}) {
    const { clock, env, send, toolkit } = world;
    return new Service({
        ...options,
        apiKey,
        baseUrl,
        clock,
        env,
        send,
        setSecret: (secret) => mask(world, secret),
        debug: (line) => toolkit.debug((0,base_text/* oneLine */.TN)(line)),
    });
}
function remarksOnProxy(env) {
    const ignored = (0,service_proxy/* unknownNoProxyEntries */.wi)(env);
    if (ignored.length === 0)
        return [];
    const isHidden = ignored.some((entry) => entry.includes('@'));
    const which = isHidden ? 'an entry with an @' : quotedList(ignored);
    return [
        `The action does not recognize ${which} in the no_proxy environment variable. Use host names, suffixes such as .example.com, IP addresses or CIDR ranges, separated by commas or spaces.`,
    ];
}

;// CONCATENATED MODULE: ./action/contradictions.js


function rejectContradictions(read, plan) {
    const { targets, fullResync, resetTarget, onLostResponse, wait, succeedOn, retryOn } = plan;
    const isWithoutTrigger = areExisting(targets);
    const hasAttempts = plan.maxAttempts > 1;
    const both = quotedList(retryOn.filter((status) => succeedOn.includes(status)));
    const noRun = (name) => `is true, but the step triggers no runs because the pipeline input is empty. Set the pipeline input, or remove the ${name} input.`;
    const rules = [
        [
            hasAttempts && resetTarget,
            'max-attempts',
            'is above 1, but reset-target: true would drop the tables on every attempt. Remove max-attempts.',
        ],
        [
            hasAttempts && !retryOn.every(isRetryable),
            'retry-on',
            'contains "cancelled", but the step never retries a cancelled run. Remove this status.',
        ],
        [
            hasAttempts && both !== '',
            'retry-on',
            `contains ${both}, which succeed-on also contains. Keep each status in only one of the two inputs.`,
        ],
        [
            resetTarget && !fullResync,
            'reset-target',
            'is true without full-resync, so the recreated tables would contain only new data. Set full-resync: true as well, or remove reset-target.',
        ],
        [
            resetTarget && onLostResponse === 'retry',
            'reset-target',
            'is true, but on-lost-response: retry could drop the tables twice. Set on-lost-response: fail.',
        ],
        [
            resetTarget && targets.length > 1,
            'reset-target',
            `is true, but the pipeline input lists ${targets.length} pipelines. Reset each pipeline in its own step.`,
        ],
        [isWithoutTrigger && fullResync, 'full-resync', noRun('full-resync')],
        [isWithoutTrigger && resetTarget, 'reset-target', noRun('reset-target')],
        [
            isWithoutTrigger && !wait,
            'wait',
            'is false and the pipeline input is empty, so the step would have nothing to do. Set the pipeline input, or remove the wait input.',
        ],
    ];
    for (const [applies, name, whatAndHow] of rules)
        if (applies)
            read.mistake(name, whatAndHow);
}
const WAITING = ['queue-timeout', 'on-timeout'];
const READING = ['succeed-on', 'poll-interval'];
const ATTEMPTS = ['max-attempts', 'retry-on', 'retry-delay'];
const SEVERAL = ['max-parallel', 'fail-fast'];
const RUNS = ['on-cancel', 'on-lost-response', ...SEVERAL, ...ATTEMPTS];
function inputsWithoutEffect(read, plan) {
    const { targets, dryRun, wait, maxAttempts, timeoutMs, queueTimeoutMs } = plan;
    const reading = targets.some(({ jobId }) => jobId !== undefined) ? [] : READING;
    const rules = [
        [dryRun, 'dry-run is true', ['wait', ...WAITING, ...RUNS, ...reading]],
        [!wait, 'wait is false', [...WAITING, 'max-parallel', ...ATTEMPTS, ...reading]],
        [targets.length === 1, 'the step has only one run', SEVERAL],
        [areExisting(targets), 'the pipeline input is empty', ['max-parallel', 'on-lost-response', ...ATTEMPTS]],
        [maxAttempts === 1, 'max-attempts is 1', ['retry-on', 'retry-delay']],
        [isTooLateToRetry(timeoutMs, plan), 'timeout is not longer than retry-delay', ['max-attempts']],
        [timeoutMs === Infinity && queueTimeoutMs === Infinity, 'neither timeout nor queue-timeout is set', ['on-timeout']],
    ];
    const reasons = new Map();
    for (const [applies, reason, names] of rules)
        for (const name of applies ? names : [])
            if (!reasons.has(name))
                reasons.set(name, reason);
    return [...reasons]
        .filter(([name]) => read.isChanged(name))
        .map(([name, reason]) => `Input ${name} has no effect because ${reason}.`);
}

;// CONCATENATED MODULE: ./base/distance.js
const COMPARED_CHARACTERS = 100;
function editDistance(one, other) {
    const rows = Array.from(one.slice(0, COMPARED_CHARACTERS));
    const columns = Array.from(other.slice(0, COMPARED_CHARACTERS));
    let before = [];
    let distances = [0, ...columns.map((_, column) => column + 1)];
    for (const [row, mark] of rows.entries()) {
        const next = [row + 1];
        for (const [column, otherMark] of columns.entries()) {
            const [replace = 0, remove = 0] = distances.slice(column, column + 2);
            const insert = next[column] ?? 0;
            const isExchanged = mark === columns[column - 1] && otherMark === rows[row - 1];
            const exchange = isExchanged ? (before[column - 1] ?? Infinity) : Infinity;
            next.push(Math.min(replace + (mark === otherMark ? 0 : 1), remove + 1, insert + 1, exchange + 1));
        }
        [before, distances] = [distances, next];
    }
    return distances.at(-1) ?? 0;
}

;// CONCATENATED MODULE: ./action/undeclared-inputs.js



const PREFIX = 'INPUT_';
const LONGEST_SHOWN = 60;
function findUndeclared({ env, toolkit }, names) {
    const undeclared = undeclaredIn(env, names);
    for (const { value } of undeclared)
        for (const line of value.split(/[\r\n]/).filter((each) => each.startsWith('ak_')))
            mask({ toolkit }, line);
    const misspelled = undeclared.flatMap(({ name }) => {
        const meant = mostSimilar(name, names);
        return meant === undefined ? [] : [{ name, meant }];
    });
    const others = undeclared.map(({ name }) => name).filter((name) => !misspelled.some((each) => each.name === name));
    const remarks = others.length === 0 ? [] : [withoutEffect(others)];
    return passesForeignInputs(env)
        ? { mistakes: [], meant: [], remarks: [...misspelled.map(probablyForeign), ...remarks] }
        : { mistakes: misspelled.map(mistakeIn), meant: misspelled.map(({ meant }) => meant), remarks };
}
function undeclaredIn(env, names) {
    const declared = names;
    return Object.keys(env)
        .filter((variable) => variable.toUpperCase().startsWith(PREFIX))
        .map((variable) => ({ name: variable.slice(PREFIX.length).toLowerCase(), value: (env[variable] ?? '').trim() }))
        .filter(({ name, value }) => name !== '' && value !== '' && !declared.includes(name))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
}
const NAMES_ELSEWHERE = new Map([
    ['apitoken', 'api-key'],
    ['check-only', 'dry-run'],
    ['fail-on-warning', 'succeed-on'],
    ['full-reset', 'full-resync'],
    ['fullrefresh', 'full-resync'],
    ['max-concurrency', 'max-parallel'],
    ['max-wait', 'timeout'],
    ['maxretries', 'max-attempts'],
    ['pipelineid', 'pipeline'],
    ['pipelineids', 'pipeline'],
    ['pipelinename', 'pipeline'],
    ['plan-only', 'dry-run'],
    ['poll-frequency', 'poll-interval'],
    ['polling-interval', 'poll-interval'],
    ['reset-tables', 'reset-target'],
    ['resync', 'full-resync'],
    ['retries', 'max-attempts'],
    ['retry-count', 'max-attempts'],
    ['runid', 'job-id'],
    ['sucess-on', 'succeed-on'],
    ['timeout-in-minutes', 'timeout'],
    ['timeout-in-seconds', 'timeout'],
    ['timeoutminutes', 'timeout'],
    ['timeoutseconds', 'timeout'],
    ['validate-only', 'dry-run'],
    ['wait-for-completion', 'wait'],
    ['wait-for-run', 'wait'],
    ['wait-timeout', 'timeout'],
]);
function mostSimilar(name, names) {
    const letters = lettersOf(name);
    const meant = NAMES_ELSEWHERE.get(name) ?? NAMES_ELSEWHERE.get(letters);
    if (meant !== undefined && names.includes(meant))
        return meant;
    const similar = names
        .map((declared) => ({ declared, distance: editDistance(letters, lettersOf(declared)) }))
        .filter(({ declared, distance }) => distance <= (Math.min(letters.length, lettersOf(declared).length) > 5 ? 2 : 1));
    return similar.sort((a, b) => a.distance - b.distance)[0]?.declared;
}
function lettersOf(name) {
    return name.replace(/[-_ ]/g, '');
}
function passesForeignInputs(env) {
    return ['ACT', 'GITEA_ACTIONS', 'FORGEJO_ACTIONS'].some((name) => (env[name] ?? '') !== '');
}
function mistakeIn({ name, meant }) {
    const text = `Input ${shown(name)} does not exist. Use ${meant} instead.`;
    if (name.includes('-'))
        return text;
    return `${text} If the step does not set this input, remove the environment variable ${PREFIX}${shown(name).toUpperCase()}.`;
}
function probablyForeign({ name, meant }) {
    return `${withoutEffect([name])} If it is not an input of the surrounding composite action, use ${meant} instead.`;
}
function withoutEffect(names) {
    const which = (0,base_text/* listed */.KE)(names.map(shown));
    return names.length === 1
        ? `Input ${which} has no effect because this action has no such input.`
        : `Inputs ${which} have no effect because this action has no such inputs.`;
}
function shown(name) {
    return (0,base_text/* oneLine */.TN)(name, LONGEST_SHOWN);
}

;// CONCATENATED MODULE: ./action/inputs.js











const MAX_RUNS = 1_000;
const LONGEST_RUN_URL = 2_000;
function readSettings({ env, toolkit }) {
    const undeclared = findUndeclared({ env, toolkit }, INPUT_NAMES);
    const read = new InputReader(toolkit, undeclared.mistakes, undeclared.meant);
    const given = INPUT_NAMES.filter((name) => read.isGiven(name));
    if (given.length === 0)
        return { mistakes: [INPUTS_LOST], remarks: [] };
    if (!given.some((name) => name.includes('-')))
        return { mistakes: [HYPHENS_LOST], remarks: [] };
    const access = readAccess(read, env);
    const plan = readPlan(read, access.baseUrl);
    rejectContradictions(read, plan);
    const settings = { ...access, summary: read.boolean('summary'), runUrl: readRunUrl(read) };
    const jobStatus = read.text('internal-job-status');
    const unused = inputsWithoutEffect(read, plan);
    if (read.mistakes.length > 0)
        return { mistakes: read.mistakes, remarks: undeclared.remarks };
    const isOnce = !plan.wait || plan.dryRun || areExisting(plan.targets);
    const maxAttempts = isOnce ? 1 : plan.maxAttempts;
    const maxParallel = isOnce || plan.targets.length === 1 ? Infinity : plan.maxParallel;
    return {
        value: { ...settings, jobStatus, plan: { ...plan, maxAttempts, maxParallel } },
        remarks: [...undeclared.remarks, ...unused, ...remarksOnProxy(env)],
    };
}
function readCancelInputs({ env, toolkit }) {
    const { mistakes, meant, remarks } = findUndeclared({ env, toolkit }, CANCEL_INPUT_NAMES);
    const read = new InputReader(toolkit, mistakes, meant);
    const isAnyGiven = mistakes.length > 0 || CANCEL_INPUT_NAMES.some((name) => read.isGiven(name));
    if (!isAnyGiven)
        return { mistakes: [NO_INPUTS], remarks };
    const access = readAccess(read, env);
    const jobIds = [...new Set(readJobIds(read))];
    if (read.mistakes.length > 0)
        return { mistakes: read.mistakes, remarks };
    return { value: { ...access, jobIds }, remarks: [...remarks, ...remarksOnProxy(env)] };
}
function readPostInputs({ toolkit }) {
    const text = (name) => toolkit.getInput(name);
    const is = (name, value) => text(name).toLowerCase() === value;
    const entries = [text('pipeline'), text('job-id')].flatMap((lines) => lines.split('\n'));
    return {
        apiKey: text('api-key'),
        baseUrl: text('base-url'),
        entries: entries.filter((entry) => entry.trim() !== ''),
        wantsSummary: !is('summary', 'false'),
        fullResync: is('full-resync', 'true'),
        resetTarget: is('reset-target', 'true'),
        wait: !is('wait', 'false'),
        isJobCancelled: text('internal-job-status') === 'cancelled',
    };
}
const SHELL_DROPS_HYPHENS = 'the node command is probably a script for a shell (such as dash) that drops variables with hyphens in their names. On the runner or in the container, replace the script with the Node.js binary or a bash script.';
const HYPHENS_LOST = `No input with a hyphen in its name has a value, not even a default. ${(0,base_text/* capitalized */.l2)(SHELL_DROPS_HYPHENS)}`;
const INPUTS_LOST = 'No input has a value, not even a default. The node command is probably a script that starts Node.js without its environment variables (as sudo or env -i does). On the runner or in the container, replace the script with the Node.js binary.';
const NO_INPUTS = `No input has a value. Check that the workflow sets api-key and base-url. If it does, ${SHELL_DROPS_HYPHENS}`;
function passOn(name) {
    return `Composite actions must declare an input named ${name} at every level and pass it on. Otherwise, the runner can give the post step an empty or wrong value.`;
}
function mistakeInKeyOfPost(key) {
    const mistake = mistakeInKey(key);
    return mistake === undefined
        ? undefined
        : `the api-key input ${key === '' ? 'is empty.' : mistake} ${passOn('api-key')}`;
}
function mistakeInKey(key) {
    if (key === '')
        return `is empty. ${KEY_MISSING}`;
    if (/^Bearer\s/i.test(key))
        return 'begins with the word Bearer. Store only the key, which begins with ak_.';
    if (/\s/.test(key))
        return 'contains white space or a line break. Store the key again, on one line and without quotation marks.';
    if (key.startsWith('eyJ'))
        return 'is a legacy API key (it begins with eyJ). This action needs a key that begins with ak_. Create one under Settings → API Keys.';
    if (!key.startsWith('ak_'))
        return 'does not begin with ak_, so it is not an API key. Store only the key, without quotation marks. To create one, open Settings → API Keys.';
    const how = 'Store the key again, exactly as the application showed it.';
    if (key === 'ak_')
        return `contains only the prefix ak_. ${how}`;
    return /^[!-~]+$/.test(key) ? undefined : `contains an invalid character. ${how}`;
}
const KEY_MISSING = 'Set it to a secret, as in api-key: ${{ secrets.PIPELINE_API_KEY }}. By default, GitHub passes no secrets to pull requests from forks, and only Dependabot secrets to those from Dependabot. It passes environment secrets only to jobs that use the environment.';
function readAccess(read, env) {
    const apiKey = read.text('api-key');
    const wrongKey = mistakeInKey(apiKey);
    if (wrongKey !== undefined)
        read.mistake('api-key', wrongKey);
    const text = read.text('base-url');
    const checked = (0,base_address/* checkAddress */.l_)(text);
    if ('why' in checked) {
        const what = text === '' ? 'is empty' : describe(text, checked.why);
        read.mistake('base-url', `${what}. Set it to the application's URL, such as https://app.example.com.`);
    }
    try {
        (0,service_proxy/* proxyFor */.iJ)(NO_SERVICE, env);
    }
    catch (error) {
        read.mistakes.push(`${(0,base_text/* capitalized */.l2)((0,base_text/* messageOf */.bD)(error))}. Set it to http://HOST:PORT or http://USER:PASSWORD@HOST:PORT, and percent-encode special characters in the password.`);
    }
    return { apiKey, baseUrl: 'url' in checked ? checked.url : NO_SERVICE };
}
const NO_SERVICE = new URL('https://service.invalid');
function describe(address, why) {
    return address.includes('@') ? why : `is ${(0,base_text/* quoted */.TL)(address)}, which ${why}`;
}
function readPlan(read, baseUrl) {
    const targets = readTargets(read);
    const policy = (name) => read.isGiven(name) ? read.choice(name) : areExisting(targets) ? 'leave' : 'cancel';
    return {
        targets,
        fullResync: read.boolean('full-resync'),
        resetTarget: read.boolean('reset-target'),
        wait: read.boolean('wait'),
        dryRun: read.boolean('dry-run'),
        pollIntervalMs: read.durationFrom('poll-interval', (0,base_address/* isLoopback */.U9)(baseUrl) ? 1 : MIN_POLL_INTERVAL_MS, 'the service allows at most one status check per run every'),
        timeoutMs: read.duration('timeout'),
        queueTimeoutMs: read.duration('queue-timeout'),
        onTimeout: policy('on-timeout'),
        onCancel: policy('on-cancel'),
        succeedOn: read.statuses('succeed-on'),
        maxAttempts: read.count('max-attempts', 'to make only one attempt'),
        retryOn: read.statuses('retry-on'),
        retryDelayMs: read.duration('retry-delay'),
        maxParallel: read.count('max-parallel', 'to run all pipelines at the same time'),
        failFast: read.boolean('fail-fast'),
        onLostResponse: read.choice('on-lost-response'),
        maxOutageMs: read.duration('max-outage'),
    };
}
function readTargets(read) {
    const pipelines = read.list('pipeline');
    const jobIds = readJobIds(read);
    if (!read.isGiven('pipeline') && !read.isGiven('job-id') && !read.isExplained('job-id'))
        read.mistake('pipeline', "is empty, and so is job-id. To trigger a run, set this input to a pipeline's API name, name or UUID. To wait for an existing run, set job-id. If a value comes from an output, check why the output is empty.");
    checkLines(read, 'pipeline', pipelines);
    checkLines(read, 'job-id', jobIds);
    const [pipeline] = pipelines;
    const [jobId] = jobIds;
    if (pipeline === undefined)
        return jobIds.map((id) => ({ jobId: id }));
    if (jobId === undefined)
        return pipelines.map((name) => ({ pipeline: name }));
    if (pipelines.length > 1 || jobIds.length > 1)
        read.mistake('job-id', `lists ${counted(jobIds, 'run')}, and the pipeline input lists ${counted(pipelines, 'pipeline')}. To resume a run, list only one of each. To only wait for runs, remove the pipeline input.`);
    return [{ pipeline, jobId }];
}
function readJobIds(read) {
    const lines = read.list('job-id');
    const wrong = lines.filter((line) => asUuid(line) === undefined);
    if (wrong.length > 0)
        read.mistake('job-id', `contains ${quotedList(wrong)}. Enter run ids, one per line, in the same format as the job-id output.`);
    return lines.flatMap((line) => asUuid(line) ?? []);
}
function checkLines(read, name, lines) {
    if (lines.length > MAX_RUNS)
        read.mistake(name, `has ${lines.length} lines. Enter at most ${MAX_RUNS}, and put the rest in another step.`);
    const twice = lines.find((line, index) => lines.indexOf(line) !== index);
    if (twice !== undefined)
        read.mistake(name, `contains ${quotedList([twice])} more than once. Remove the duplicate.`);
}
function counted(items, noun) {
    return `${items.length} ${noun}${items.length === 1 ? '' : 's'}`;
}
function readRunUrl(read) {
    const text = read.text('run-url');
    const why = text === '' ? undefined : mistakeInRunUrl(text);
    if (why !== undefined)
        read.mistake('run-url', `${describe(text, why)}. Set it to the URL of a run, with {job-id} in place of the run's id, such as https://app.example.com/runs/{job-id}.`);
    return text;
}
function mistakeInRunUrl(template) {
    if (template.length > LONGEST_RUN_URL)
        return `is longer than ${LONGEST_RUN_URL} characters`;
    if (/\s/.test(template))
        return 'contains white space';
    const placeholders = template.match(/\{[^{}]*\}/g) ?? [];
    const foreign = placeholders.find((each) => each !== '{job-id}' && each !== '{pipeline-id}');
    if (foreign !== undefined)
        return `contains ${(0,base_text/* quoted */.TL)(foreign, 60)}, but only {job-id} and {pipeline-id} are allowed`;
    if (placeholders.length === 0)
        return 'does not contain {job-id}';
    const filled = template.replace(/\{(?:job|pipeline)-id\}/g, 'id');
    if (/[{}]/.test(filled))
        return 'contains an unmatched brace';
    return URL.canParse(filled) ? (0,base_address/* mistakeInOrigin */.y1)(new URL(filled)) : 'is not a URL';
}

;// CONCATENATED MODULE: ./report/markdown.js

function plain(text, longest = 300) {
    return (0,base_text/* oneLine */.TN)(text, longest).replace(/[!-+./:-@[-`{-~]/g, (mark) => {
        const separator = mark === '@' || mark === '#' ? '&#8203;' : '';
        return `&#${mark.charCodeAt(0)};${separator}`;
    });
}
function codeLink(id, link) {
    if (link === '')
        return `\`${id}\``;
    const encoded = link
        .replace(/[^A-Za-z0-9:/?#=.,;@%+~_&-]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
        .replaceAll('&', '&amp;');
    return `[\`${id}\`](${encoded})`;
}
function upTo(bytes, lines) {
    let used = 0;
    const end = lines.findIndex((line) => {
        used += Buffer.byteLength(line) + 1;
        return used > bytes;
    });
    return end === -1 ? lines : lines.slice(0, end);
}
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
function cutToColumns(text, columns) {
    let kept = '';
    let used = 0;
    for (const mark of text) {
        used += WIDE.test(mark) ? 2 : 1;
        if (used > columns)
            return `${kept.trimEnd()}…`;
        if (used < columns)
            kept += mark;
    }
    return text;
}
function codeBlock(lines) {
    const text = lines.join('\n');
    const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
    const fence = '`'.repeat(longest + 1);
    return `${fence}text\n${text}\n${fence}`;
}

;// CONCATENATED MODULE: ./report/timeline.js






const timeline_MOST_BYTES = 45_000;
const NAME_COLUMNS = 28;
const CHART_COLUMNS = 110;
const LEGEND = 'Gray: waiting or queued. Pale: picked up. Full color: running. Red: needs attention. Times are UTC.';
function timelineOf(runs, plan, moment) {
    const begin = Math.min(...runs.flatMap(({ startedAt }) => startedAt ?? []));
    const rows = runs
        .map((run) => ({ run, bars: barsOf(run, plan, begin, moment.now) }))
        .filter(({ bars }) => bars.length > 0);
    if (rows.length === 0)
        return '';
    const mostUrgent = rows.slice(0, MOST_ON_A_SCREEN);
    const bars = mostUrgent.flatMap((row) => row.bars);
    const isCompact = bars.length > MOST_AT_A_GLANCE;
    const spanMs = Math.max(...bars.map(({ to }) => to)) - begin;
    const [, axis] = AXES.find(([ms]) => spanMs < ms) ?? LONGEST_AXIS;
    const toWall = (ms) => (0,duration/* isoTime */.Ly)(Math.round(ms + moment.wall - moment.now)).slice(0, 23);
    const lineOf = ({ from, name, tag, to }) => {
        const label = `${cutToColumns((0,base_text/* oneLine */.TN)(name), NAME_COLUMNS)} ${(0,duration/* formatDuration */.a3)(to - from)}`;
        const isShown = !isCompact || label.length <= (CHART_COLUMNS * (to - from)) / spanMs;
        return `${chartText(isShown ? label : '\u200B')} :${tag}${toWall(from)}, ${toWall(to)}`;
    };
    const all = mostUrgent.map((row, index) => [`section ${sectionName(row.run, index, rows.length)}`, ...row.bars.map(lineOf)].join('\n'));
    const sections = upTo(timeline_MOST_BYTES, all);
    const chart = [
        '---',
        'config:',
        '  gantt:',
        ...(isCompact ? ['    displayMode: compact'] : []),
        '    numberSectionStyles: 2',
        '    leftPadding: 200',
        '---',
        'gantt',
        'accTitle: Timeline of the pipeline runs',
        'dateFormat YYYY-MM-DDTHH:mm:ss.SSS',
        axis,
        'todayMarker off',
        ...sections,
    ];
    const begins = `The chart begins at ${toWall(begin).slice(0, 19).replace('T', ' ')}.`;
    const omitted = `\n\nThe chart shows ${sections.length} of ${rows.length} runs, starting with the most urgent ones.`;
    const legend = `${LEGEND} ${begins}${sections.length < rows.length ? omitted : ''}`;
    return `\`\`\`mermaid\n${chart.join('\n')}\n\`\`\`\n\n${legend}`;
}
function sectionName(run, index, count) {
    const name = run.attempt > 1 ? `${nameOf(run)}, attempt ${run.attempt}` : nameOf(run);
    return chartText(cutToColumns(count > 1 ? `${index + 1} ${name}` : name, NAME_COLUMNS));
}
function barsOf(run, plan, begin, now) {
    const { earlier, endedAt, history, isGiven, jobId, phase, startedAt, stop } = run;
    if (startedAt === undefined || phase.at === 'not_queued')
        return [];
    const end = endedAt ?? (phase.at === 'left' ? (stop?.at ?? now) : now);
    const isCancelling = stop?.policy === 'cancel' && jobId !== undefined;
    const statuses = history.filter(({ at }) => !(isCancelling && at > stop.at));
    const phases = [
        { status: 'waiting', at: earlier.at(-1)?.endedAt ?? begin },
        { status: isGiven ? 'first read' : 'triggering', at: startedAt },
        ...statuses,
        ...(isCancelling ? [{ status: 'cancelling', at: stop.at }] : []),
        ...(phase.at === 'unknown' ? [{ status: 'unknown', at: startedAt }] : []),
    ];
    const bars = phases
        .map(({ status, at }, index) => {
        return { name: status, from: at, to: Math.min(phases[index + 1]?.at ?? end, end), tag: TAGS[status] ?? '' };
    })
        .filter(({ from, to }, index) => to > from && (index > 1 || to - from >= (end - begin) / 100));
    const last = bars.at(-1);
    if (last === undefined)
        return [];
    const tag = isGoal(outcomeOf(run, plan)) ? last.tag : 'crit, ';
    if (bars.length > MOST_AT_A_GLANCE)
        return [{ name: `${bars.length} status changes`, from: startedAt, to: last.to, tag }];
    return bars.with(-1, { ...last, tag });
}
const TAGS = {
    waiting: 'done, ',
    triggering: 'done, ',
    'first read': 'done, ',
    queued: 'done, ',
    picked: 'active, ',
};
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const AXES = [
    [2 * SECOND, 'axisFormat %S.%L s'],
    [8 * SECOND, 'axisFormat %H:%M:%S\ntickInterval 1second'],
    [80 * SECOND, 'axisFormat %H:%M:%S\ntickInterval 10second'],
    [480 * SECOND, 'axisFormat %H:%M\ntickInterval 1minute'],
    [4_800 * SECOND, 'axisFormat %H:%M\ntickInterval 10minute'],
    [8 * HOUR, 'axisFormat %H:%M\ntickInterval 1hour'],
    [48 * HOUR, 'axisFormat %d %b %H:%M\ntickInterval 6hour'],
    [192 * HOUR, 'axisFormat %d %b\ntickInterval 1day'],
];
const LONGEST_AXIS = [Infinity, 'axisFormat %d %b\ntickInterval 1week'];
const HARMLESS = /^[\p{L}\p{N}\p{M}\p{Extended_Pictographic} ]$/u;
function chartText(text) {
    return Array.from(text, (mark, index) => (index > 0 && HARMLESS.test(mark) ? mark : `#${mark.codePointAt(0)};`)).join('');
}

;// CONCATENATED MODULE: ./report/summary.js











const summary_MOST_BYTES = 1_048_576;
const MOST_PART_BYTES = 300_000;
const summary_NAME_COLUMNS = 40;
const MARKS = {
    unknown: '❓',
    lost: '❓',
    wait_timed_out: '⌛',
    cancelled: '🛑',
    not_triggered: '⛔',
    failed: '❌',
    triggered: '🚀',
    dry_run: '📝',
    succeeded: '✅',
};
const DRY_RUN_HEADLINES = {
    dry_run: '📝 Dry run: nothing was triggered',
    not_triggered: '❌ Dry run failed',
};
function summaryOf(runs, plan, runUrl, moment) {
    const worstFirst = runs.toSorted((a, b) => rankOf(a, plan) - rankOf(b, plan));
    const attempts = worstFirst.flatMap((run) => [...run.earlier, run]);
    const endings = endingsOf(worstFirst, plan);
    const remarks = endings.filter(({ level }) => runs.length === 1 || level !== 'none').map(textOf);
    const parts = [
        `### ${headline(runs, plan)}`,
        endings.length > 1 ? plain(endingOfAll(runs, plan), 1_000) : '',
        tableOf(attempts, plan, runUrl),
        listOf(remarks, 'remarks'),
        restWords(restOf(runs, plan)),
        plan.wait && !plan.dryRun ? timelineOf(attempts, plan, moment) : '',
    ];
    return `${parts.filter((part) => part !== '').join('\n\n')}\n\n`;
}
function addToSummary(world, heading, lines) {
    writeSummary(world, `### ${heading}\n\n${listOf(lines, 'runs')}\n\n`);
}
function writeSummary({ env, files, toolkit }, markdown) {
    const path = env['GITHUB_STEP_SUMMARY'] ?? '';
    if (path === '')
        return;
    try {
        const bytes = Buffer.byteLength(files.read(path) ?? '') + Buffer.byteLength(markdown);
        if (bytes > summary_MOST_BYTES)
            throw new Error('it would exceed the limit of 1 MiB');
        files.append(path, markdown);
    }
    catch (error) {
        const why = (0,base_text/* sentence */.em)((0,base_text/* oneLine */.TN)((0,base_text/* messageOf */.bD)(error)));
        const text = `Could not write the job summary: ${why} The log contains the same information.`;
        toolkit.annotate('warning', text, titleOf());
    }
}
function rankOf(run, plan) {
    return OUTCOMES.indexOf(outcomeOf(run, plan)) + (statusOf(run) === 'completed' ? 0.5 : 0);
}
function headline(runs, plan) {
    const worst = worstOutcome(runs, plan);
    if (plan.dryRun)
        return DRY_RUN_HEADLINES[worst] ?? `${MARKS[worst]} Dry run stopped`;
    const [run, another] = runs;
    if (run === undefined || another !== undefined)
        return `${MARKS[worst]} ${runs.length} ${runs.every(mayExist) ? 'pipeline runs' : 'pipelines'}`;
    return `${markOf(run, plan)} Pipeline run: ${plain(nameOf(run))}`;
}
function markOf(run, plan) {
    const outcome = outcomeOf(run, plan);
    return outcome === 'succeeded' && meaningOf(run.status).level === 'warning' ? '⚠️' : MARKS[outcome];
}
function tableOf(runs, plan, runUrl) {
    const rows = runs.map((run) => {
        const { attempt, jobId } = run;
        const own = { ...run, earlier: [] };
        const name = plain(cutToColumns(nameOf(run), summary_NAME_COLUMNS));
        const status = statusOf(own);
        const tookMs = durationOf(run);
        const cells = [
            plan.maxAttempts > 1 ? `${name}, attempt ${attempt}` : name,
            `${markOf(own, plan)} ${outcomeOf(own, plan).replaceAll('_', ' ')}`,
            plain(run.status === undefined ? status : shownStatus(status), 60),
            tookMs === undefined ? '–' : (0,duration/* formatDuration */.a3)(tookMs),
            jobId === undefined ? '–' : codeLink(jobId, linkTo(run, runUrl)),
        ];
        return `| ${cells.join(' | ')} |`;
    });
    return `| Pipeline | Outcome | Status | Duration | Run |\n| --- | --- | --- | --- | --- |\n${asPart(rows, 'runs')}`;
}
function restWords(rest) {
    if (rest.length === 0)
        return '';
    const names = rest.map((name) => (0,base_text/* oneLine */.TN)(name));
    return `Pipelines to run again:\n\n${codeBlock(upTo(MOST_PART_BYTES, names))}`;
}
function listOf(remarks, what) {
    const bullet = remarks.length > 1 ? '- ' : '';
    return asPart(remarks.map((remark) => `${bullet}${plain(remark, 1_500)}`), what);
}
function asPart(lines, what) {
    const shown = upTo(MOST_PART_BYTES, lines);
    const omitted = lines.length - shown.length;
    return shown.join('\n') + (omitted > 0 ? `\n\n… and ${omitted} more ${what} (see the log).` : '');
}

;// CONCATENATED MODULE: ./action/main-end.js

const HANDLED = { idle: 'always', isReported: true, isHandled: true };
function needsEnd(runs) {
    return runs.some((run) => partOfPost(run) === 'takes over if cancelled');
}
function endOf(runs, isReported, mustCancel) {
    if (mustCancel && needsEnd(runs))
        return undefined;
    return { idle: isReported ? idleOf(runs) : 'never', isReported, isHandled: false };
}
function idleOf(runs) {
    if (runs.some(isPending))
        return 'never';
    return needsEnd(runs) ? 'unless_cancelled' : 'always';
}
function mayNeedCancel(runs) {
    return needsEnd(runs) || runs.some((run) => partOfPost(run) === 'takes over');
}
function decodeEnd(line, isByRunner) {
    return { isReported: line['isReported'] === true && isByRunner, isHandled: line['isHandled'] === true };
}

;// CONCATENATED MODULE: ./action/run-line.js




const LONGEST = { name: 200, attempted: 100, cause: 250, remedy: 150, detail: 80, status: 40 };
const MOST_LONG_LINES = 20;
const SHORT = { name: 60, attempted: 60, cause: 60, remedy: 30, detail: 31, status: 40 };
function encodeRun(run, count) {
    const { attempt, isGiven, isMissing, jobId, mayHaveTwin, phase, pipeline, status, stop, target, triggeredAt } = run;
    const at = savedPhase(run);
    if (at === undefined || (hasNoRun(run) && triggeredAt === undefined))
        return undefined;
    const longest = count > MOST_LONG_LINES ? SHORT : LONGEST;
    const name = (text) => (0,base_text/* shorten */.ml)(text, longest.name);
    const isKept = stop !== undefined && !(stop.why === 'interruption' && isPending(run));
    const problem = phase.at === 'unsettled' ? undefined : problemWith(run);
    const line = {
        status: isKept || ['finished', 'lost'].includes(phase.at) ? cut(status, longest.status) : undefined,
        at,
        mayHaveTwin,
        jobId,
        isMissing: isMissing || undefined,
        stop: isKept ? stopInLine(problem === undefined ? stop : { ...stop, problem: undefined }, longest) : undefined,
        problem: briefly(problem, longest),
        target: { ...target, ...(target.pipeline !== undefined && { pipeline: name(target.pipeline) }) },
        pipeline: pipeline && { id: pipeline.id, name: name(pipeline.name), apiName: name(pipeline.apiName) },
        attempt,
        isGiven,
        triggeredAt,
    };
    return line;
}
function stopInLine({ why, policy, detail, problem }, longest) {
    return { why, policy, detail: (0,base_text/* shorten */.ml)(detail, longest.detail), problem: briefly(problem, longest) };
}
function cut(text, longest) {
    return text === undefined ? undefined : (0,base_text/* shorten */.ml)(text, longest);
}
function briefly(problem, longest) {
    if (problem === undefined)
        return undefined;
    const { attempted, call, cause, remedy } = problem;
    return {
        call,
        attempted: (0,base_text/* shorten */.ml)(attempted, longest.attempted),
        cause: (0,base_text/* shorten */.ml)(cause, longest.cause),
        remedy: remedy && firstSentences(remedy, longest.remedy),
    };
}
function firstSentences(text, longest) {
    if (text.length <= longest)
        return text;
    return text.slice(0, text.lastIndexOf('. ', longest - 1) + 1);
}
function beginningOf(text) {
    return /^.*?"jobId":"[^"]*"/.exec(text)?.[0] ?? '';
}
function decodeRun(line) {
    const { at, problem, target = {}, stop, ...known } = line;
    if (!isSavedPhase(at))
        return undefined;
    const phase = { at, problem: at === 'lost' ? (problem ?? NO_PROBLEM) : problem };
    const kept = stop && { ...stop, at: 0 };
    const history = known.status === undefined ? [] : [{ status: known.status, at: 0 }];
    const isMissing = known.isMissing === true;
    const isSeen = known.isGiven === true && !isMissing && (known.status !== undefined || (at !== 'lost' && at !== 'left'));
    const killed = at === 'not_queued' && problem === undefined ? KILLED : undefined;
    const run = { ...planned(target), ...known, isMissing, isSeen, history, phase, stop: kept ?? killed };
    const needsId = !hasNoRun(run) && !isUnconfirmed(run);
    return needsId && asUuid(run.jobId) === undefined ? undefined : run;
}
const NO_PROBLEM = problemOf('read', 'unknown cause (it was not saved)');
const KILLED = { why: 'main_gone', policy: 'cancel', at: 0, detail: '' };

;// CONCATENATED MODULE: ./action/unwritable.js

const NO_RECORD_FILES = 'GITHUB_STATE and RUNNER_TEMP are not set';
function remedyForFile(why, uid) {
    if (why.startsWith('Access to this API has been restricted'))
        return "Add --allow-fs-read=* and --allow-fs-write=* to NODE_OPTIONS, or disable Node's permission model.";
    if (why === NO_RECORD_FILES)
        return 'Check that the runner sets both variables.';
    const [code] = why.split(/\W/);
    switch (code) {
        case 'EMFILE':
        case 'ENFILE':
            return TOO_MANY_FILES;
        case 'EACCES':
        case 'EPERM':
            return uid === undefined
                ? "Give the runner's user write access to this file and its folder."
                : `Give the user that runs this step (id ${uid}) write access to this file and its folder. In a job container, set the user with options: --user.`;
        case 'EROFS':
            return 'This file is on a read-only file system. Mount the file system with write access.';
        case 'ENOENT':
            return "Check that no step deletes RUNNER_TEMP or the runner's files.";
        case 'ENOSPC':
        case 'EDQUOT':
            return 'Free up disk space on the runner.';
        default:
            return 'Check that the runner provides this file and can write to it.';
    }
}

;// CONCATENATED MODULE: ./action/record.js




const KEY_OF_STEP = 'run_pipeline';
const KEY_OF_END = 'run_pipeline_end';
function keyOfRun(number) {
    return `${KEY_OF_STEP}_${number}`;
}
function runNumberIn(key) {
    const number = key.slice(KEY_OF_STEP.length + 1);
    return key.startsWith(KEY_OF_STEP) && /^\d+$/.test(number) ? Number(number) : undefined;
}
class RecordFile {
    #files;
    #name;
    #path;
    #lacking = new Map();
    #cause;
    #notCreated;
    constructor({ files }, name, path) {
        this.#files = files;
        this.#name = name;
        this.#path = path;
    }
    get cause() {
        return this.#cause;
    }
    lacks(key) {
        return this.#lacking.has(key);
    }
    create() {
        try {
            this.#files.create(this.#path, '');
        }
        catch (error) {
            const why = (0,base_text/* messageOf */.bD)(error);
            if (!why.startsWith('EEXIST'))
                this.#notCreated = why;
        }
    }
    append(lines) {
        for (const [key, line] of lines) {
            this.#lacking.delete(key);
            this.#lacking.set(key, line);
        }
        if (this.#lacking.size === 0)
            return [];
        const before = this.#cause;
        try {
            this.#files.append(this.#path, [...this.#lacking.values()].join(''));
            this.#lacking.clear();
            this.#cause = undefined;
            return before === undefined ? [] : [`The step can save the state of the runs to ${this.#name} again.`];
        }
        catch (error) {
            this.#cause = this.#notCreated ?? (0,base_text/* messageOf */.bD)(error);
            return before === undefined ? [`Could not save the state of the runs to ${this.#name}: ${this.#cause}.`] : [];
        }
    }
}
class Recorder {
    #files;
    #number = 0;
    #count = 1;
    #last = new Map();
    #uid;
    constructor(world, { journal, state }) {
        const files = [
            ['the journal in RUNNER_TEMP', journal],
            ["the runner's GITHUB_STATE file", state],
        ];
        this.#uid = world.host.uid;
        this.#files = files.flatMap(([name, path]) => (path ? new RecordFile(world, name, path) : []));
    }
    begin(step, runs) {
        this.#create();
        this.#count = runs.length;
        const changed = this.#changed(runs);
        this.#append([[KEY_OF_STEP, { ...step, existing: changed.length, areSeveral: runs.length > 1 }], ...changed]);
        if (this.#files.length === 0)
            return NO_RECORD_FILES;
        return this.#files.find(({ cause }) => cause !== undefined)?.cause;
    }
    save(runs) {
        const intents = runs.filter(({ state }) => state.phase.at === 'triggering').map(({ number }) => keyOfRun(number));
        const missing = () => this.#files.find((file) => intents.some((key) => file.lacks(key)));
        const changed = this.#changed(runs);
        const notes = changed.length > 0 || missing() !== undefined ? this.#append(changed) : [];
        const cause = missing()?.cause;
        return this.#result(notes, cause === undefined ? undefined : this.#unsavable(cause));
    }
    repair() {
        return this.#result(this.#append([]));
    }
    rejection() {
        this.#create();
        this.handled();
    }
    handled() {
        this.#append([[KEY_OF_END, { n: Number.MAX_SAFE_INTEGER, ...HANDLED }]]);
    }
    end(end) {
        const saved = this.#result(this.#append(end === undefined ? [] : [[KEY_OF_END, end]]));
        return { ...saved, isSaved: end !== undefined && this.#files.some((file) => !file.lacks(KEY_OF_END)) };
    }
    #create() {
        for (const file of this.#files)
            file.create();
    }
    #changed(runs) {
        return runs.flatMap(({ number, state }) => {
            const key = keyOfRun(number);
            const line = encodeRun(state, this.#count);
            if (line === undefined)
                return [];
            const text = JSON.stringify({ ...line, pipeline: undefined });
            if (text === this.#last.get(key))
                return [];
            this.#last.set(key, text);
            return [[key, line]];
        });
    }
    #append(entries) {
        const lines = entries.map(([key, value]) => {
            this.#number += 1;
            return [key, `${key}=${JSON.stringify({ n: this.#number, ...value })}\n`];
        });
        return this.#files.flatMap((file) => file.append(new Map(lines)));
    }
    #unsavable(cause) {
        const remedy = `${remedyForFile(cause, this.#uid)} Otherwise, the action might be unable to cancel the run.`;
        return { attempted: 'save the state needed to cancel a run', cause, remedy };
    }
    #result(notes, problem) {
        const isUnsaved = (number) => this.#files.every((file) => file.lacks(keyOfRun(number)));
        return { isUnsaved, problem, notes };
    }
}

;// CONCATENATED MODULE: external "node:path"
const external_node_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");
;// CONCATENATED MODULE: ./action/temp-files.js



const OF_JOB = ['GITHUB_RUN_ID', 'GITHUB_RUN_ATTEMPT', 'GITHUB_JOB', 'RUNNER_NAME', 'RUNNER_TRACKING_ID'];
const OF_STEP = [...OF_JOB, 'GITHUB_ACTION'];
function prefixOf(names, env, hostname) {
    const identity = [hostname, ...names.map((name) => env[name] ?? '')];
    return `run-pipeline-${fnv1a(JSON.stringify(identity))}-`;
}
function fnv1a(text) {
    let hash = 0xcbf29ce484222325n;
    for (const byte of Buffer.from(text))
        hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    return hash.toString(16);
}
function newJournal({ env, host, random }) {
    const folder = env['RUNNER_TEMP'] ?? '';
    const unique = `${host.pid}-${Math.floor(random() * 2 ** 48).toString(36)}`;
    return folder === '' ? '' : (0,external_node_path_namespaceObject.join)(folder, `${prefixOf(OF_STEP, env, host.hostname)}${unique}`);
}
function journalsOf({ env, files, host }) {
    const folder = env['RUNNER_TEMP'] ?? '';
    const prefix = prefixOf(OF_STEP, env, host.hostname);
    const names = files.list(folder).filter((name) => name.startsWith(prefix));
    return names.map((name) => (0,external_node_path_namespaceObject.join)(folder, name));
}
const MARK = '.mark';
const MARK_IN_JOURNAL = `\n${KEY_OF_STEP}_mark={}\n`;
function isMarked({ files }, journal) {
    if (journal === '')
        return false;
    return files.read(`${journal}${MARK}`) !== undefined || files.read(journal)?.includes(MARK_IN_JOURNAL) === true;
}
function mark(world, journal) {
    if (journal === '')
        return 'RUNNER_TEMP is not set';
    if (isMarked(world, journal))
        return undefined;
    try {
        world.files.create(`${journal}${MARK}`, '');
        return undefined;
    }
    catch (error) {
        return markInJournal(world, journal) ? undefined : (0,base_text/* messageOf */.bD)(error);
    }
}
function markInJournal({ files }, journal) {
    try {
        files.append(journal, MARK_IN_JOURNAL);
        return true;
    }
    catch {
        return false;
    }
}
function firstPostAt({ clock, env, files, host }) {
    const folder = env['RUNNER_TEMP'] ?? '';
    if (folder === '')
        return NaN;
    const path = (0,external_node_path_namespaceObject.join)(folder, `${prefixOf(OF_JOB, env, host.hostname)}post`);
    try {
        files.create(path, String(clock.wall()));
    }
    catch {
    }
    return Number(files.read(path));
}

;// CONCATENATED MODULE: ./action/recall.js





function recall(world) {
    const state = linesInState(world.env);
    const kept = keptIn(state, true);
    if (kept.step !== undefined)
        return [reread(world, { ...kept, step: kept.step })];
    const journals = journalsOf(world)
        .map((path) => ({ lines: linesIn(world, path), path }))
        .filter(({ lines }) => lines.length > 0)
        .map(({ lines, path }) => ({ ...keptIn(lines, false), journal: path }));
    return journals.length > 0 || state.length === 0 ? journals : [kept];
}
function reread(world, { step, isByRunner }) {
    const state = isByRunner ? linesInState(world.env) : [];
    return { ...keptIn([...state, ...linesIn(world, step.journal)], isByRunner), step };
}
function keptIn(lines, isByRunner) {
    const inOrder = [...lines].sort((a, b) => b.n - a.n);
    const newest = (key) => inOrder.find((line) => line.key === key && !line.isCut);
    const numbers = [...new Set(lines.flatMap(({ key }) => runNumberIn(key) ?? []))].sort((a, b) => a - b);
    const runs = numbers.flatMap((number) => {
        const key = keyOfRun(number);
        const last = inOrder.find((line) => line.key === key);
        const state = decodeRun({ ...newest(key)?.value, ...last?.value });
        return state === undefined ? [] : [{ number, state }];
    });
    const end = newest(KEY_OF_END);
    const step = stepIn(newest(KEY_OF_STEP)?.value);
    return {
        step,
        runs,
        end: end && decodeEnd(end.value, end.isByRunner),
        isByRunner,
        isTorn: runs.length < Math.max(numbers.length, step?.existing ?? 0),
    };
}
function stepIn(value = {}) {
    const { pid, baseUrl, onCancel, succeedOn, resetTarget, pollIntervalMs, jobStatus, journal, existing } = value;
    if (typeof pid !== 'number' || typeof baseUrl !== 'string' || typeof pollIntervalMs !== 'number')
        return undefined;
    if (onCancel !== 'cancel' && onCancel !== 'leave')
        return undefined;
    if (typeof jobStatus !== 'string' || typeof journal !== 'string' || !Array.isArray(succeedOn))
        return undefined;
    if (typeof existing !== 'number' || typeof resetTarget !== 'boolean')
        return undefined;
    const known = {
        pid,
        baseUrl,
        onCancel,
        resetTarget,
        pollIntervalMs,
        jobStatus,
        journal,
        existing,
        areSeveral: value['areSeveral'] !== false,
        canTrigger: value['canTrigger'] !== false,
    };
    return { ...known, succeedOn: succeedOn.map(String) };
}
function linesInState(env) {
    const names = Object.keys(env).filter((name) => name.startsWith(`STATE_${KEY_OF_STEP}`));
    return names.flatMap((name) => lineOf(name.slice('STATE_'.length), env[name] ?? '', true));
}
function linesIn({ files }, path) {
    return (files.read(path) ?? '').split('\n').flatMap((line) => {
        const equals = line.indexOf('=');
        return equals < 0 ? [] : lineOf(line.slice(0, equals), line.slice(equals + 1), false);
    });
}
function lineOf(key, text, isByRunner) {
    if (text === '')
        return [];
    const whole = (0,base_json/* parseJson */.qF)(text);
    const { n = 0, ...value } = (0,base_json/* asObject */.eB)(whole ?? (0,base_json/* parseJson */.qF)(`${beginningOf(text)}}`));
    return [{ key, value, n: Number(n), isByRunner, isCut: whole === undefined }];
}

;// CONCATENATED MODULE: ./action/post-step.js






















const MAIN_STARTS_WITHIN_MS = 5_000;
const LOOK_EVERY_MS = 100;
const SHARED_MS = 275_000;
const SHORTEST_MS = 10_000;
const MAIN_SETTLES_WITHIN_MS = 12_000;
const PART_FOR_SETTLING = 1 / 4;
const POST_WITHIN_MS = TRIGGER_WITHIN_MS / (1 - PART_FOR_SETTLING);
function postStep(world, interruption) {
    const { clock } = world;
    const afterReport = [];
    let endings = [];
    let hasFinished = false;
    return {
        async work() {
            maskKey(world);
            const parts = { world, interruption, until: clock.now() + timeLeftMs(world), afterReport };
            const reports = [];
            for await (const kept of recordsOf(world))
                reports.push(finish(kept, parts).catch((error) => stoppedByBug(world, (0,base_text/* bugOf */.yG)(error), kept.step)));
            const all = reports.length === 0 ? [unknownRuns(world, NOTHING_RECORDED)] : (await Promise.all(reports)).flat();
            endings = [...new Map(all.map((ending) => [textOf(ending), ending])).values()];
        },
        report() {
            annotate(world, endings);
            if (endings.length > 0 && readPostInputs(world).wantsSummary)
                addToSummary(world, 'Pipeline runs after the job', endings.map(textOf));
            hasFinished = true;
            return 0;
        },
        crash(why) {
            annotate(world, [stoppedByBug(world, why)]);
        },
        close(isReported, code) {
            if (hasFinished && isReported)
                for (const task of afterReport)
                    task();
            return code;
        },
    };
}
function unknownRuns(world, line, step) {
    const names = readPostInputs(world).entries.map((each) => (0,base_text/* quoted */.TL)(each, 80));
    const which = names.length === 0 ? "this workflow's pipeline runs" : `the runs of ${(0,base_text/* listed */.KE)(names)}`;
    const consequence = resetsTarget(world, step) ? [TABLES_INCOMPLETE] : [];
    return { level: 'warning', line, advice: [...consequence, `Check ${which} in the application.`] };
}
function resetsTarget(world, step) {
    return step?.resetTarget ?? readPostInputs(world).resetTarget;
}
const NOTHING_RECORDED = "The step's main process left no record. If that process started, it may have triggered a run that is still running.";
const UNREADABLE = 'The post step cannot read a record of this step, so it cannot cancel a run that may still be running.';
const JOURNAL_UNUSABLE = 'The journal of this step is missing or unusable, so the main process may have triggered a run that is not on record.';
function stoppedByBug(world, why, step) {
    return unknownRuns(world, `The post step failed: ${(0,base_text/* sentence */.em)((0,base_text/* oneLine */.TN)(why))} Runs may still be running.`, step);
}
async function* recordsOf(world) {
    const until = world.clock.now() + MAIN_STARTS_WITHIN_MS;
    const seen = new Set();
    while (true) {
        const found = recall(world);
        for (const kept of found.filter(({ journal }) => !seen.has(journal))) {
            seen.add(kept.journal);
            yield kept;
        }
        if (found.some(({ isByRunner }) => isByRunner) || world.clock.now() >= until)
            return;
        await pause(world.clock, LOOK_EVERY_MS);
    }
}
function timeLeftMs(world) {
    const sharedMs = firstPostAt(world) + SHARED_MS - world.clock.wall();
    return sharedMs > 0 ? Math.max(SHORTEST_MS, Math.min(POST_WITHIN_MS, sharedMs)) : POST_WITHIN_MS;
}
async function finish(found, parts) {
    const { world } = parts;
    const { end, step } = found;
    if (end?.isHandled === true)
        return [];
    if (step === undefined) {
        const { journal } = found;
        if (journal !== undefined)
            parts.afterReport.push(() => new Recorder(world, { journal }).handled());
        return [unknownRuns(world, UNREADABLE)];
    }
    const main = { ...found, step };
    const unmarkable = end === undefined ? await stopMain(main, parts) : undefined;
    const last = reread(world, main);
    const ledger = takeOver(last, world);
    if (ledger.runs.some(({ state }) => isOpen(state)))
        await cancel(ledger, last, parts);
    const endings = endingsAfter(last, ledger, parts);
    if (last.isTorn)
        return [...endings, unknownRuns(world, UNREADABLE, step)];
    const isJournalGone = world.files.read(step.journal) === undefined;
    if ((unmarkable !== undefined || isJournalGone) && last.end === undefined && step.canTrigger) {
        const why = unmarkable === undefined
            ? ''
            : ` The post step could not create a file next to the journal: ${(0,base_text/* oneLine */.TN)(unmarkable)}`;
        endings.push(unknownRuns(world, (0,base_text/* sentence */.em)(`${JOURNAL_UNUSABLE}${why}`), step));
    }
    return endings;
}
async function stopMain(main, { world, interruption, until }) {
    const { clock, host } = world;
    const { journal, pid } = main.step;
    const latest = until - Math.max((until - clock.now()) * PART_FOR_SETTLING, SHORTEST_MS);
    let unmarkable = mark(world, journal);
    let markedAt = clock.now();
    while (pid !== host.pid && host.isAlive(pid)) {
        const { end, runs } = reread(world, main);
        const mayAddRun = runs.some(({ state }) => partOfPost(state) === 'waits');
        const isOver = clock.now() >= (mayAddRun ? latest : Math.min(markedAt + MAIN_SETTLES_WITHIN_MS, latest));
        if (end !== undefined || isOver || interruption.first !== undefined)
            break;
        await pause(clock, LOOK_EVERY_MS);
        if (unmarkable === undefined)
            continue;
        unmarkable = mark(world, journal);
        markedAt = clock.now();
    }
    return unmarkable;
}
const QUIET = { changed: () => undefined, tick: () => undefined, note: () => undefined };
function takeOver(main, world) {
    const { runs } = main;
    const stops = new Map(runs.map(({ number, state }) => [number, stopOf(state, main, world)]));
    const own = runs.filter(({ number }) => stops.get(number) !== undefined);
    const ledger = new Ledger(own, NO_STORE, QUIET);
    for (const run of ledger.runs) {
        const stop = stops.get(run.number);
        if (stop !== undefined)
            ledger.apply(run, takenOver(stop));
    }
    return ledger;
}
function endingsAfter(main, ledger, { afterReport, world }) {
    const settled = new Map(ledger.runs.map(({ number, state }) => [number, state]));
    const states = main.runs.map(({ number, state }) => settled.get(number) ?? state);
    const unreported = main.end?.isReported ? [...settled.values()] : states;
    const mayLackId = !main.isByRunner && states.some((state) => partOfPost(state) === 'waits');
    if (!mayNeedCancel(states) && !mayLackId)
        afterReport.push(() => new Recorder(world, { journal: main.step.journal }).handled());
    printMessages(world, unreported);
    const { areSeveral, onCancel, succeedOn } = main.step;
    const { fullResync, wait } = readPostInputs(world);
    const resetTarget = resetsTarget(world, main.step);
    const context = { succeedOn, fullResync, resetTarget, wait, onCancel, areSeveral };
    const endings = unreported.map((state) => warned(endingOf(state, context, true)));
    return endings.length === 0 ? [] : [...endings, ...adviceForNextRun(states, context)];
}
function stopOf(state, { end, step }, world) {
    const { jobStatus, onCancel: policy } = step;
    const stop = { policy, at: world.clock.now(), detail: '' };
    const part = partOfPost(state);
    if (part === 'takes over')
        return { why: 'main_gone', ...stop };
    if (part !== 'takes over if cancelled' || policy !== 'cancel')
        return undefined;
    if (end === undefined)
        return { why: 'main_gone', ...stop };
    const isCancelled = readPostInputs(world).isJobCancelled && jobStatus !== 'cancelled';
    return isCancelled ? { why: 'job_cancelled', ...stop } : undefined;
}
async function cancel(ledger, { isByRunner, step }, parts) {
    const { world, interruption, until } = parts;
    const open = ledger.runs.filter(({ state }) => isOpen(state));
    const { apiKey, baseUrl } = readPostInputs(world);
    const address = (0,base_address/* checkAddress */.l_)(isByRunner ? step.baseUrl : baseUrl);
    const giveUp = (cause) => {
        for (const run of open)
            ledger.apply(run, unsettled(problemOf('cancel', cause)));
    };
    const wrongKey = mistakeInKeyOfPost(apiKey);
    if (wrongKey !== undefined)
        return giveUp(wrongKey);
    if ('why' in address)
        return giveUp(`the base-url input ${address.why}. ${passOn('base-url')}`);
    const names = (0,base_text/* listed */.KE)(open.map(({ state }) => runOf(state)));
    print(world, `The step ended before its runs finished. Cancelling ${names}.`);
    const service = openService(world, { apiKey, baseUrl: address.url });
    const { pollIntervalMs } = step;
    const isForeign = address.url.href !== step.baseUrl;
    const limits = {
        withinMs: Math.max(until - world.clock.now(), SHORTEST_MS),
        endsWithKey: true,
        mayNotExist: isForeign,
    };
    const settling = { ...world, time: new AwakeTime(world), interruption, ledger, service, pollIntervalMs };
    await Promise.all(open.map((run) => settleRun(run, settling, limits)));
    for (const run of open)
        ledger.apply(run, withRemedyOfPost);
}
const withRemedyOfPost = (run) => {
    if (run.phase.at !== 'unsettled')
        return run;
    const { problem } = run.phase;
    const { isOfKey = false, remedy = '' } = problem;
    if (!isOfKey)
        return run;
    return unsettled({ ...problem, remedy: `${remedy} ${passOn('api-key')}` })(run);
};
function warned(ending) {
    return ending.level === 'error' ? { ...ending, level: 'warning' } : ending;
}

;// CONCATENATED MODULE: ./action/signals.js

const OUTPUTS_AFTER_MS = 6_500;
const REPORT_AFTER_MS = 9_000;
const HURRIED_PRINT_WITHIN_MS = 250;
function listenForInterruption({ clock, host }, parent = host.parent()) {
    const controller = new AbortController();
    let isMarked;
    let first;
    let hasNoReader = false;
    const interrupt = (by, isHurried) => {
        const at = clock.now();
        first ??= { by, at, endsBy: at + REPORT_AFTER_MS };
        if (!isHurried)
            first = { ...first, endsBy: Infinity };
        controller.abort();
    };
    const interruptWithoutReader = (by) => {
        hasNoReader = true;
        interrupt(by, false);
    };
    const detect = () => {
        if (isMarked?.() === true)
            interruptWithoutReader('by its post step');
        else if (host.parent() !== parent)
            interruptWithoutReader('its runner died');
    };
    host.onSignal((name) => interrupt(name, true));
    host.onStdoutClosed(() => {
        hasNoReader = true;
        interrupt('stdout was closed', true);
    });
    host.onTick(detect);
    return {
        signal: controller.signal,
        detect,
        async caughtUp() {
            await host.turned();
            detect();
        },
        watch(check) {
            isMarked = check;
        },
        get first() {
            return first;
        },
        get hasNoReader() {
            return hasNoReader;
        },
    };
}
async function afterSignal({ clock }, interruption, ms) {
    await pause(clock, Infinity, interruption.signal);
    if (interruption.first === undefined)
        return;
    await pause(clock, interruption.first.at + ms - clock.now());
    interruption.detect();
    if (interruption.first.endsBy === Infinity)
        await pause(clock, Infinity);
}

;// CONCATENATED MODULE: ./action/cancel-step.js



















const CONTEXT = { succeedOn: FINAL_STATUSES, resetTarget: false };
const ACTION = 'run-pipeline/cancel';
const TITLE = titleOf(undefined, ACTION);
const LIMITS = { withinMs: POST_WITHIN_MS, mayNotExist: true, endsWithKey: true };
function cancelStep(world, interruption) {
    const { clock, toolkit } = world;
    const outputs = new OutputWriter(world);
    let mistakes;
    let runs = [];
    const states = () => runs.map(({ state }) => state);
    return {
        async work() {
            maskKey(world);
            const read = readCancelInputs(world);
            for (const remark of read.remarks)
                print(world, remark);
            if ('mistakes' in read) {
                mistakes = read.mistakes;
                return;
            }
            const { jobIds } = read.value;
            if (jobIds.length === 0)
                toolkit.annotate('notice', 'Input job-id is empty, so nothing was cancelled.', TITLE);
            const given = jobIds.map((jobId) => claimed(jobId, clock.now())(planned({ jobId })));
            const ledger = new Ledger(given.map((state, number) => ({ number, state })), NO_STORE, observerIn(world));
            runs = ledger.runs;
            const service = openService(world, read.value);
            const parts = {
                ...world,
                time: new AwakeTime(world),
                interruption,
                ledger,
                service,
                pollIntervalMs: MIN_POLL_INTERVAL_MS,
            };
            const work = Promise.all(runs.map((run) => settleRun(run, parts, LIMITS)));
            await Promise.race([work, afterSignal(world, interruption, OUTPUTS_AFTER_MS)]);
            if (interruption.first !== undefined)
                writeOutputs(outputs, world, states());
            await work;
        },
        report() {
            for (const mistake of mistakes ?? [])
                toolkit.annotate('error', mistake, TITLE);
            const areWritten = writeOutputs(outputs, world, states());
            printMessages(world, states());
            annotate(world, states().map(shownEnding), ACTION);
            return areWritten && mistakes === undefined && states().every(({ phase }) => phase.at === 'finished') ? 0 : 1;
        },
        crash(why) {
            const text = `${(0,base_text/* internalError */.WB)(why)} Check the application for runs that were not cancelled.`;
            toolkit.annotate('error', text, TITLE);
            writeOutputs(outputs, world, states());
        },
        close: (_, code) => code,
    };
}
const LOGGED_AFTER_MS = 1_000;
function observerIn(world) {
    const logged = new Set();
    return {
        changed(run, { phase: before }) {
            const { phase } = run.state;
            if (phase.at !== 'unsettled' || before.at !== 'unsettled')
                return;
            const line = `${(0,base_text/* capitalized */.l2)(runOf(run.state))}: ${failureText(phase.problem)}`;
            if (logged.has(line))
                return;
            logged.add(line);
            world.clock.after(LOGGED_AFTER_MS, () => {
                if (run.state.phase.at === 'unsettled')
                    print(world, line);
            });
        },
        note: () => undefined,
        tick: () => undefined,
    };
}
function shownEnding(run) {
    const ending = endingOf(run, CONTEXT);
    return run.phase.at === 'finished' ? { ...ending, level: 'none' } : ending;
}
function writeOutputs(outputs, { toolkit }, runs) {
    try {
        const known = { ...cancelOutputsOf(runs, CONTEXT), results: resultsOf(runs, CONTEXT) };
        outputs.write(runs.length > 0 ? known : { results: '[]' });
        return true;
    }
    catch (error) {
        toolkit.annotate('error', `Could not write the outputs: ${(0,base_text/* oneLine */.TN)((0,base_text/* messageOf */.bD)(error))}.`, TITLE);
        return false;
    }
}

;// CONCATENATED MODULE: ./report/announcement.js






function announcement(plan, runs, baseUrl, { apiUrl, region }) {
    const { dryRun, fullResync, onCancel, resetTarget, wait } = plan;
    const isTriggering = !areExisting(runs.map(({ target }) => target));
    const dropped = resetTarget ? ', tables dropped and recreated' : '';
    const where = region === '' ? '' : `, region ${(0,base_text/* oneLine */.TN)(region, 60)}`;
    const lines = [
        dryRun ? 'Dry run: the step will not trigger any runs. Without dry-run, it would use these settings:' : '',
        ...runs.slice(0, MOST_ON_A_SCREEN).map(targetWords),
        runs.length > MOST_ON_A_SCREEN ? `… and ${runs.length - MOST_ON_A_SCREEN} more` : '',
        isTriggering ? `Options: ${fullResync ? 'full resync' : 'incremental sync'}${dropped}` : '',
        `Hosts: ${baseUrl.href} (base-url) and ${apiUrl.href} (API${where})`,
        ...(dryRun ? [] : wait ? waitingWords(plan) : [notWaitingWords(plan)]),
        dryRun
            ? ''
            : `${wait || onCancel === 'leave' ? 'If the workflow is cancelled' : 'On GitHub, if the workflow is cancelled before this job ends'}, the ${wait ? '' : 'post '}step ${afterwards(onCancel)}.`,
    ];
    return lines.filter((line) => line !== '');
}
function targetWords(run) {
    const { jobId, pipeline } = run.target;
    if (pipeline === undefined)
        return `Run: ${jobId} (existing run)`;
    return `Pipeline: ${nameAndId(run)}${jobId === undefined ? '' : `. If run ${jobId} has already finished with a status that is not in succeed-on, the step triggers another run. Otherwise, it uses run ${jobId}.`}`;
}
function afterwards(policy) {
    return policy === 'cancel' ? 'cancels unfinished runs' : 'lets unfinished runs continue';
}
function notWaitingWords({ timeoutMs }) {
    const limit = timeoutMs === Infinity ? '' : ` After ${(0,duration/* formatDuration */.a3)(timeoutMs)}, it triggers no more runs.`;
    return `The step does not wait. It finishes as soon as all runs are queued.${limit}`;
}
function failFastWords({ onCancel, targets }) {
    const ends = onCancel === 'cancel' ? 'cancels' : 'stops waiting for';
    return areExisting(targets)
        ? `After a run has failed, the step ${ends} the others`
        : `After a pipeline has failed, the step triggers no more runs and ${ends} unfinished ones`;
}
function waitingWords(plan) {
    const { failFast, maxAttempts, maxParallel, onTimeout, queueTimeoutMs, retryDelayMs, retryOn, timeoutMs } = plan;
    const isSingle = plan.targets.length === 1;
    const every = (0,duration/* formatDuration */.a3)(plan.pollIntervalMs);
    const inQueue = (0,duration/* formatDuration */.a3)(queueTimeoutMs);
    return [
        `The step waits${timeoutMs === Infinity ? ' without a time limit' : ''} until ${isSingle ? 'the run finishes' : 'all runs finish'}, and checks ${isSingle ? 'its status' : 'their statuses'} every ${every}.`,
        timeoutMs === Infinity
            ? ''
            : `After ${(0,duration/* formatDuration */.a3)(timeoutMs)}, the step ${onTimeout === 'cancel' ? '' : 'stops waiting and '}${afterwards(onTimeout)}.`,
        queueTimeoutMs === Infinity
            ? ''
            : `The step ${onTimeout === 'cancel' ? 'cancels' : 'stops waiting for'} a run after ${inQueue} in the queue.`,
        maxParallel === Infinity
            ? ''
            : `At most ${maxParallel === 1 ? '1 run is' : `${maxParallel} runs are`} queued or running at a time.`,
        maxAttempts === 1 || isTooLateToRetry(timeoutMs, plan)
            ? ''
            : `If a run finishes with the status ${(0,base_text/* listed */.KE)(retryOn.map(quotedStatus), 'or')}, the step starts another attempt after ${(0,duration/* formatDuration */.a3)(retryDelayMs)}, up to ${maxAttempts} attempts in total.`,
        failFast && !isSingle ? `${failFastWords(plan)} (fail-fast).` : '',
    ];
}

;// CONCATENATED MODULE: ./report/report.js












const GATHER_MS = 1_000;
class Report {
    #settings;
    #world;
    #log;
    #outputs;
    #runs = [];
    #summarized;
    #unwritten;
    #takeBack;
    constructor(world, settings, outputs) {
        this.#settings = settings;
        this.#world = world;
        this.#log = new Log(world, settings.plan, settings.runUrl);
        this.#outputs = outputs;
    }
    begin(runs) {
        this.#runs = runs;
        this.#log.begin(runs);
        if (runs.some(({ state }) => state.isGiven))
            this.#writeEarly();
    }
    prove() {
        return this.#write({ 'job-status': 'unknown' });
    }
    announce(host) {
        const { baseUrl, plan } = this.#settings;
        for (const line of announcement(plan, this.#states, baseUrl, host))
            this.#log.line(line);
        if (!plan.resetTarget || plan.dryRun)
            return;
        for (const name of this.#states.map(nameAndId)) {
            const text = `Because reset-target is true, a new run will drop and recreate the destination tables of ${name}.`;
            this.#world.toolkit.annotate('warning', text, titleOf('reset-target'));
        }
    }
    note(text, run) {
        this.#log.note(text, run);
    }
    tick(isFailing) {
        this.#log.tick(isFailing);
    }
    changed(run, before) {
        if (this.#runs.length === 1 && !isNewlyStopped(run.state, before))
            this.#writeEarly();
        else
            this.#takeBack ??= this.#world.clock.after(GATHER_MS, () => this.#writeEarly());
        this.#log.changed(run, before);
    }
    writeOutputs() {
        const context = this.#outputContext;
        const outputs = outputsOf(this.#states, context, this.#world.clock.now());
        return this.#write({ ...outputs, results: resultsOf(this.#states, context) }) === undefined;
    }
    writeSummary() {
        const { plan, runUrl, summary } = this.#settings;
        const lines = endingsOf(this.#states, plan).map(textOf);
        const late = lines.filter((line) => this.#summarized?.includes(line) === false);
        const isFirst = this.#summarized === undefined;
        this.#summarized = lines;
        const { clock } = this.#world;
        if (!summary)
            return;
        if (!isFirst) {
            if (late.length > 0)
                addToSummary(this.#world, 'At the end of the step', late);
            return;
        }
        const moment = { now: clock.now(), wall: clock.wall() };
        writeSummary(this.#world, summaryOf(this.#states, plan, runUrl, moment));
    }
    conclude() {
        const { plan, runUrl } = this.#settings;
        const { toolkit } = this.#world;
        const states = this.#states;
        this.#takeBack?.();
        this.#log.flush();
        if (this.#unwritten !== undefined)
            toolkit.annotate('error', `${unwritten(this.#unwritten)} ${NO_OUTPUTS}`, titleOf());
        const unfinished = states.filter(mayContinue);
        const ids = unfinished.flatMap(({ jobId }) => jobId ?? []);
        const pipelines = [...new Set(unfinished.filter(({ jobId }) => jobId === undefined).map(nameOf))];
        if (unfinished.length > 1 && ids.length > 0)
            this.#log.line(`Runs that may still be running: ${ids.join(', ')}`);
        if (unfinished.length > 1 && pipelines.length > 0)
            this.#log.line(`Pipelines that may have a run with an unknown id: ${pipelines.join(', ')}`);
        const links = states.map((state) => linkTo(lastKnown(state), runUrl));
        const endings = endingsOf(states, plan).map((ending, index) => {
            return { ...ending, advice: [...ending.advice, links[index] ?? ''] };
        });
        const isNew = states.map(({ phase }) => states.length === 1 || phase.at === 'dry_run');
        annotate(this.#world, endings.filter(({ level }, index) => level !== 'none' || isNew[index]));
        if (worstOutcome(states, plan) === 'dry_run')
            toolkit.annotate('notice', DRY_RUN, titleOf('dry run'));
        if (states.length < 2)
            return;
        const leftOut = states.length - resultEntriesOf(states, this.#outputContext).length;
        if (leftOut > 0)
            this.#log.line(`To stay within its size limit, the results output omits ${leftOut} of ${states.length} runs, starting with successful ones. The log lists all runs.`);
        if (endings.length > 1)
            this.#log.line(endingOfAll(states, plan));
        const rest = restOf(states, plan);
        if (rest.length > 0)
            this.#log.line('Pipelines to run again:');
        for (const name of rest)
            this.#log.line(`  ${(0,base_text/* oneLine */.TN)(name)}`);
    }
    get #states() {
        return this.#runs.map(({ state }) => state);
    }
    get #outputContext() {
        return { ...this.#settings.plan, runUrl: this.#settings.runUrl };
    }
    #writeEarly() {
        const hasFailedBefore = this.#unwritten !== undefined;
        const why = this.#write(earlyOutputsOf(this.#states, this.#outputContext));
        if (why === undefined || hasFailedBefore)
            return;
        this.#world.toolkit.annotate('warning', `${unwritten(why)} The step will try again before it finishes.`, titleOf());
    }
    #write(outputs) {
        this.#takeBack?.();
        this.#takeBack = undefined;
        this.#unwritten = undefined;
        try {
            this.#outputs.write(outputs);
        }
        catch (error) {
            this.#unwritten = (0,base_text/* messageOf */.bD)(error);
        }
        return this.#unwritten;
    }
}
function unwritten(why) {
    return `Could not write the outputs: ${(0,base_text/* sentence */.em)((0,base_text/* oneLine */.TN)(why))}`;
}
const NO_OUTPUTS = 'Later steps would not receive them, so this step fails. Before you run it again, look for its runs in the log.';
const DRY_RUN = 'Dry run: the step did not trigger any runs. A dry run cannot check whether the account has credits or whether the pipelines are active.';

;// CONCATENATED MODULE: ./run/trigger.js




const MOST_UNCONFIRMED = 5;
async function triggerRun(run, parts) {
    const { clock, interruption, ledger, patience, plan, service, stops } = parts;
    const { fullResync, resetTarget } = plan;
    const order = { pipelineId: run.state.pipeline?.id ?? '', fullResync, resetTarget };
    const signal = AbortSignal.any([run.halted, stops.timedOut]);
    const request = patience.begin('trigger', run);
    const unconfirmed = [];
    const end = (problem) => {
        const lostResponse = unconfirmed.at(-1);
        if (lostResponse === undefined && problem === undefined && stops.timedOut.aborted)
            stops.timeOut(run, request.problem);
        ledger.apply(run, lostResponse === undefined ? notQueued(problem) : unknown(lostResponse));
    };
    const beforeSend = () => {
        const unsaved = ledger.apply(run, triggering(clock.now(), clock.wall(), unconfirmed.length > 0));
        interruption.detect();
        return unsaved;
    };
    while (!signal.aborted) {
        const result = await service.trigger(order, { beforeSend, signal });
        if (result.kind === 'queued') {
            const isReplayed = isKnown(result.jobId, parts);
            ledger.apply(run, isReplayed ? unknown(replayed(result.jobId)) : queued(result.jobId, clock.now()));
            request.succeeded();
            return;
        }
        if (result.kind === 'aborted')
            return end(result.problem);
        const isResponseLost = result.kind === 'maybe_processed';
        if (isResponseLost)
            unconfirmed.push(result.problem);
        const mayRepeat = !isResponseLost || (plan.onLostResponse === 'retry' && unconfirmed.length < MOST_UNCONFIRMED);
        if (isFinalForTrigger(result))
            return end(request.failed(result).problem);
        if (!mayRepeat)
            return end(result.problem);
        if (signal.aborted)
            break;
        const remark = isResponseLost && { remark: 'Several runs may be queued (on-lost-response: retry).' };
        const { givesUp, pauseMs, problem } = request.failed({ ...result, ...remark });
        if (givesUp) {
            if (isResponseLost)
                unconfirmed.push(problem);
            return end(problem);
        }
        if (unconfirmed.length === 0)
            ledger.apply(run, postponed);
        await pause(clock, pauseMs, signal);
    }
    end();
}
function isKnown(jobId, { ledger }) {
    return ledger.runs.some(({ state }) => state.target.jobId === jobId || [state, ...state.earlier].some((each) => each.jobId === jobId));
}
function replayed(jobId) {
    return problemOf('trigger', `the service returned the id of a run that the step already knows (${jobId})`);
}

;// CONCATENATED MODULE: ./run/watch.js





const FIRST_READ_MS = 2_000;
const LAST_READ_WITHIN_MS = 10_000;
const READ_WITHIN_MS = 30_000;
const EARLY_MS = 2;
async function watch(run, parts, isOnce = false) {
    const { clock, ledger, observer, patience, plan, stops } = parts;
    const request = patience.begin('read', run);
    const queue = new QueueLimit(run, parts);
    let pauseMs = firstPauseMs(run, parts);
    while (!run.halted.aborted) {
        await pause(clock, Math.min(pauseMs, queue.untilCheckMs), run.halted, stops.timedOut);
        const isLast = stops.timedOut.aborted;
        const { isReached, untilCheckMs } = queue;
        const { jobId = '' } = run.state;
        const none = failureOfNone(run.state);
        const limits = isLast
            ? { withinMs: LAST_READ_WITHIN_MS }
            : { withinMs: READ_WITHIN_MS, untilDueMs: isReached ? Infinity : untilCheckMs, ends: stops.timedOut };
        const checked = await check({ run, jobId, request, none, ...limits }, parts);
        if (checked === undefined)
            continue;
        if (checked.is === 'row') {
            ledger.apply(run, seen(checked.job, clock.now()));
        }
        else if (checked.givesUp) {
            const { cause } = checked.problem;
            ledger.apply(run, lost({ ...checked.problem, cause: isReached ? `${cause}; ${queue.lastSeen}` : cause }));
        }
        else if (isReached && !queue.isChecked) {
            observer.note(queue.remark, run);
        }
        ledger.repair();
        if (run.state.phase.at !== 'in_progress')
            return;
        if (isLast) {
            if (plan.wait)
                stops.timeOut(run, checked.problem);
            else if (checked.problem !== undefined)
                ledger.apply(run, lost(checked.problem));
            return;
        }
        if (checked.is === 'row') {
            if (isOnce)
                return;
            if (isReached && run.state.status === 'queued') {
                stops.queueTimeOut(run);
                return;
            }
            queue.seen();
        }
        else if (isReached)
            queue.checked();
        pauseMs = Math.max(plan.pollIntervalMs, checked.is === 'failure' ? checked.retryAfterMs : 0);
    }
}
class QueueLimit {
    #run;
    #parts;
    #checkedAt = Infinity;
    #seenAt;
    constructor(run, parts) {
        this.#run = run;
        this.#parts = parts;
        this.#seenAt = queuedSince(run.state);
    }
    get #endsAt() {
        return queuedSince(this.#run.state) + this.#parts.plan.queueTimeoutMs;
    }
    get isReached() {
        return this.#parts.clock.now() >= this.#endsAt - EARLY_MS;
    }
    get isChecked() {
        return this.#checkedAt === this.#endsAt;
    }
    get untilCheckMs() {
        return this.isChecked ? Infinity : Math.max(0, this.#endsAt - this.#parts.clock.now());
    }
    get lastSeen() {
        return `the step last saw the run in the queue ${(0,duration/* formatDuration */.a3)(this.#parts.clock.now() - this.#seenAt)} ago`;
    }
    get remark() {
        const { onTimeout, queueTimeoutMs } = this.#parts.plan;
        const expired = `The queue timeout expired after ${(0,duration/* formatDuration */.a3)(queueTimeoutMs)}`;
        const reaction = onTimeout === 'cancel' ? 'the step cancels it' : 'the step stops waiting for it';
        return `${expired}, and ${this.lastSeen}. If the next valid response shows that the run is still queued, ${reaction}.`;
    }
    checked() {
        this.#checkedAt = this.#endsAt;
    }
    seen() {
        this.#seenAt = this.#parts.clock.now();
    }
}
async function check({ run, jobId, request, none, withinMs, untilDueMs = Infinity, ends = run.halted }, { clock, service }) {
    if (run.halted.aborted)
        return undefined;
    const over = new AbortController();
    void pause(clock, untilDueMs, over.signal, run.halted, ends).then(() => over.abort());
    run.reads.note(clock.now());
    const result = await service.read(jobId, { signal: over.signal, withinMs });
    over.abort();
    if (result.kind === 'aborted')
        return undefined;
    run.reads.note(clock.now());
    if (result.kind !== 'job')
        return { is: 'failure', ...request.failed(result.kind === 'none' ? none : result) };
    request.succeeded();
    return { is: 'row', job: result.job };
}
async function readFirst(run, jobId, parts) {
    const request = parts.patience.begin('read', run);
    const none = { kind: 'rejected', problem: noSuchRun(`read run ${jobId}`) };
    while (true) {
        const checked = await check({ run, jobId, request, none, withinMs: READ_WITHIN_MS }, parts);
        if (checked === undefined || checked.is === 'row' || checked.givesUp)
            return checked;
        await pause(parts.clock, Math.max(parts.plan.pollIntervalMs, checked.retryAfterMs), run.halted);
    }
}
function failureOfNone(run) {
    if (isUnread(run))
        return { kind: 'rejected', problem: noSuchRun("read the run's status") };
    const problem = problemOf('read', 'the service did not return the run');
    return run.isSeen ? { kind: 'rejected', problem } : { kind: 'not_processed', problem };
}
function firstPauseMs({ number, reads, state }, { clock, ledger, plan }) {
    const { pollIntervalMs } = plan;
    const untilDueMs = reads.untilDueMs(clock.now(), pollIntervalMs);
    if (untilDueMs > -Infinity)
        return Math.max(0, untilDueMs);
    const soonMs = state.isGiven ? 0 : Math.min(FIRST_READ_MS, pollIntervalMs);
    const count = ledger.runs.length;
    if (count <= FEW_RUNS)
        return soonMs;
    const moment = (pollIntervalMs * number) / count - (clock.now() + soonMs);
    return soonMs + (((moment % pollIntervalMs) + pollIntervalMs) % pollIntervalMs);
}

;// CONCATENATED MODULE: ./run/carry-out.js









async function carryOut(run, parts) {
    const { clock, ledger, observer, plan, stops } = parts;
    await parts.slots.take();
    try {
        if (run.state.phase.at === 'in_progress' && isResume(run.state.target))
            await resume(run, parts);
        while (true) {
            if (run.state.phase.at === 'waiting')
                await triggerInTurn(run, parts);
            if (isOpen(run.state))
                await (plan.wait ? watch(run, parts) : othersTriggered(run, parts));
            if (isOpen(run.state) && run.state.stop !== undefined)
                await settle(run, parts);
            if (!anotherAttemptFollows(run, parts))
                return;
            const next = `Attempt ${run.state.attempt + 1} of ${plan.maxAttempts}`;
            const orLater = plan.maxParallel < Infinity ? ' or later (max-parallel)' : '';
            observer.note(`${next} starts in ${(0,duration/* formatDuration */.a3)(plan.retryDelayMs)}${orLater}.`, run);
            ledger.apply(run, again);
            parts.slots.release();
            await pause(clock, plan.retryDelayMs, run.halted, stops.timedOut);
            await parts.slots.take();
        }
    }
    catch (error) {
        if (!ledger.abandon(run, (0,base_text/* bugOf */.yG)(error)))
            observer.note((0,base_text/* internalError */.WB)((0,base_text/* bugOf */.yG)(error)), run);
    }
    finally {
        parts.ended.add(run);
        failFast(run, parts);
        parts.slots.release();
    }
}
async function resume(run, parts) {
    const { ledger, observer, plan, stops } = parts;
    await watch(run, parts, true);
    const { jobId, status } = run.state;
    if (run.halted.aborted || outcomeOf(run.state, plan) !== 'failed')
        return;
    const finished = `Run ${jobId} finished with the status "${status}"`;
    if (stops.timedOut.aborted) {
        observer.note(`${finished}. The step triggers no new run, because the timeout has expired.`, run);
        return;
    }
    observer.note(`${finished}, so the step triggers a new run.`, run);
    ledger.apply(run, notResumed);
}
async function triggerInTurn(run, parts) {
    const { turns } = parts;
    await turns.take();
    try {
        await triggerRun(run, parts);
        failFast(run, parts);
    }
    finally {
        turns.release();
    }
}
async function othersTriggered(run, { clock, turns }) {
    const turn = turns.take().then(() => turns.release());
    await Promise.race([turn, pause(clock, Infinity, run.halted)]);
}
function anotherAttemptFollows({ halted, state }, { plan, stops }) {
    const isStopped = halted.aborted || isTooLateToRetry(stops.leftMs(), plan);
    return !isStopped && barToRetry(state, plan) === undefined;
}
async function settle(run, parts) {
    const { interruption, plan } = parts;
    const { pollIntervalMs } = plan;
    let wasInterrupted;
    do {
        wasInterrupted = interruption.signal.aborted;
        await settleRun(run, { ...parts, pollIntervalMs }, { withinMs: SETTLES_WITHIN_MS });
    } while (!wasInterrupted && interruption.signal.aborted && isOpen(run.state));
}
function failFast({ state }, { plan, stops }) {
    if (!plan.failFast || isStoppable(state) || state.stop?.why === 'timeout')
        return;
    if (isGoal(outcomeOf(state, plan)))
        return;
    stops.failFast(isExisting(state.target) ? `run ${state.target.jobId}` : `pipeline ${(0,base_text/* quoted */.TL)(nameOf(state), 60)}`);
}

;// CONCATENATED MODULE: ./run/dry-run.js


async function dryRun(parts) {
    await Promise.all(parts.ledger.runs.map((run) => tryOut(run, parts)));
}
async function tryOut(run, parts) {
    const { clock, ledger } = parts;
    const { jobId } = run.state.target;
    const checked = jobId === undefined ? undefined : await readFirst(run, jobId, parts);
    if (checked?.is === 'failure')
        ledger.apply(run, notQueued(checked.problem));
    else if (run.halted.aborted)
        ledger.apply(run, notQueued());
    else
        ledger.apply(run, dryRunPassed(checked && { job: checked.job, now: clock.now() }));
}

;// CONCATENATED MODULE: ./service/listing.js
const MAYBE_CAPPED_ROWS = 100;
const MOST_PAGES = 100;
async function readListing(service, repeat, suffices) {
    const first = await repeat((options) => service.list(options));
    if (first.kind !== 'pipelines')
        return first;
    const byId = new Map();
    addTo(byId, first);
    if (first.rowCount < MAYBE_CAPPED_ROWS && !first.isPartial)
        return { byId };
    if (suffices(byId))
        return { byId, gap: 'the service could have omitted pipelines' };
    const paged = new Map();
    for (let nth = 1, lastId;; nth += 1) {
        const page = await repeat((options) => service.listPage(lastId, options));
        if (page.kind === 'aborted')
            return page;
        if (page.kind !== 'pipelines')
            return { byId, gap: `page ${nth} could not be read: ${page.problem.cause}` };
        if (page.rowCount === 0 && page.isPartial)
            return { byId, gap: `page ${nth} is empty, although there are more rows` };
        if (page.rowCount === 0)
            break;
        const gap = listing_mistakeIn(page, nth, lastId);
        if (gap !== undefined)
            return { byId, gap };
        addTo(paged, page);
        lastId = page.pipelines.at(-1)?.id;
    }
    for (const id of byId.keys())
        if (!paged.has(id))
            return { byId, gap: `the pages do not contain pipeline ${id}` };
    return { byId: paged };
}
function addTo(byId, { pipelines }) {
    for (const pipeline of pipelines)
        byId.set(pipeline.id, pipeline);
}
function listing_mistakeIn({ pipelines }, nth, lastId) {
    if (nth > MOST_PAGES)
        return `it has more than ${MOST_PAGES} pages`;
    const [first] = pipelines;
    if (first !== undefined && lastId !== undefined && first.id <= lastId)
        return `page ${nth} begins with a pipeline of an earlier page`;
    const isSorted = pipelines.every(({ id }, index) => index === 0 || id >= (pipelines[index - 1]?.id ?? ''));
    return isSorted ? undefined : `page ${nth} is not in the requested order`;
}

;// CONCATENATED MODULE: ./run/lookup.js


async function lookUp(names, pipelines, clock) {
    const exact = new Map(names.map((name) => [name, []]));
    const seen = new Map(names.map((name) => [(0,base_text/* asSeen */.aX)(name), []]));
    for await (const pipeline of inSlices(pipelines, clock)) {
        for (const name of new Set(pipeline.received))
            exact.get(name)?.push(pipeline);
        for (const name of new Set(namesOf(pipeline)))
            seen.get(name)?.push(pipeline);
    }
    return (name) => {
        const found = exact.get(name) ?? [];
        return found.length > 0 ? found : (seen.get((0,base_text/* asSeen */.aX)(name)) ?? []);
    };
}
function namesOf({ apiName, name }) {
    return [apiName, name].filter((each) => each !== '');
}

;// CONCATENATED MODULE: ./run/resolve.js






async function resolve(parts) {
    const { clock, ledger, observer, patience, plan, service, interruption, stops } = parts;
    const named = ledger.runs.flatMap((run) => {
        const { pipeline: given } = run.state.target;
        return given === undefined ? [] : [{ run, given }];
    });
    if (named.length === 0)
        return new Map();
    const ids = named.flatMap(({ given }) => asUuid(given) ?? []);
    if (ids.length === named.length && !plan.dryRun) {
        const problems = match(named, (given) => withoutName(asUuid(given) ?? ''), ledger);
        if (problems.size === 0)
            void service.list({ signal: interruption.signal }).then((list) => {
                if (list.kind === 'pipelines')
                    addNames(ledger, list.pipelines);
            });
        return problems;
    }
    const listing = await readListing(service, (request) => patience.repeat('list', request, stops.ofStep), (byId) => ids.length === named.length && ids.every((id) => byId.has(id)));
    if ('kind' in listing)
        return new Map([['all', listing.problem]]);
    const { byId, gap } = listing;
    const mustBeListed = plan.dryRun && gap === undefined;
    const unlisted = ids.filter((id) => !byId.has(id));
    if (plan.dryRun && gap !== undefined && unlisted.length > 0)
        observer.note(`Could not check ${unlisted.length} of the UUIDs, because the list of pipelines is incomplete (${gap}).`);
    const pipelines = [...byId.values()];
    const names = named.map(({ given }) => given).filter((given) => asUuid(given) === undefined);
    const find = await lookUp(names, pipelines, clock);
    const unknown = names.filter((name) => find(name).length === 0);
    const advice = gap === undefined ? await parts.adviseOn(unknown, pipelines, clock) : new Map();
    return match(named, (given) => {
        const id = asUuid(given);
        const isKnown = id !== undefined && (byId.has(id) || !mustBeListed);
        if (isKnown)
            return byId.get(id) ?? withoutName(id);
        if (gap !== undefined)
            return inIncompleteList(given, gap);
        const matches = find(given);
        const [only, another] = matches;
        if (only === undefined)
            return notFound(given, byId.size, advice.get(given));
        return another === undefined ? only : ambiguous(given, matches);
    }, ledger);
}
function addNames(ledger, pipelines) {
    const byId = new Map(pipelines.map((pipeline) => [pipeline.id, pipeline]));
    for (const run of ledger.runs) {
        const pipeline = byId.get(run.state.pipeline?.id ?? '');
        if (pipeline !== undefined)
            ledger.apply(run, resolved(pipeline));
    }
}
function match(named, find, ledger) {
    const problems = new Map();
    const firstOf = new Map();
    for (const { run, given } of named) {
        const found = find(given);
        const first = 'id' in found ? firstOf.get(found.id) : undefined;
        if ('cause' in found)
            problems.set(run, found);
        else if (first !== undefined)
            problems.set(run, repeated(first, given));
        else {
            firstOf.set(found.id, given);
            ledger.apply(run, resolved(found));
        }
    }
    return problems;
}
function withoutName(id) {
    return { id, name: '', apiName: '' };
}
function inIncompleteList(given, gap) {
    return {
        attempted: identify(given),
        cause: `the list of pipelines is incomplete, so a name could be missing or not unique (${gap})`,
        remedy: USE_UUIDS,
    };
}
function ambiguous(given, matches) {
    const described = matches
        .slice(0, base_text/* MOST_LISTED */.cC)
        .map(({ apiName, id, name }) => `${(0,base_text/* quoted */.TL)(name, 30)}, API name ${(0,base_text/* quoted */.TL)(apiName, 30)}, UUID ${id}`);
    return {
        attempted: identify(given),
        cause: `${matches.length} pipelines have this name (${described.join('; ')})`,
        remedy: 'Use the UUID instead.',
    };
}
function notFound(given, count, advice = '') {
    if (count === 0)
        return {
            attempted: identify(given),
            cause: "this API key's workspace has no pipelines",
            remedy: 'Check that the API key belongs to the right workspace.',
        };
    return {
        attempted: identify(given),
        cause: count === 1
            ? "the workspace's only pipeline does not have this name, API name or UUID"
            : `none of the workspace's ${count} pipelines has this name, API name or UUID`,
        remedy: advice === '' ? "Check the spelling, and check that the API key belongs to the pipeline's workspace." : advice,
    };
}
function identify(given) {
    return `identify the pipeline ${(0,base_text/* quoted */.TL)(given)}`;
}
function repeated(first, given) {
    return {
        attempted: 'use the pipeline input',
        cause: `${(0,base_text/* quoted */.TL)(first)} and ${(0,base_text/* quoted */.TL)(given)} are the same pipeline`,
        remedy: 'List each pipeline only once.',
    };
}

;// CONCATENATED MODULE: ./run/stops.js

class Stops {
    timedOut;
    ofStep;
    #parts;
    #endsAt;
    constructor(parts, hindranceOf) {
        const { clock, interruption, ledger, plan } = parts;
        const timer = new AbortController();
        this.timedOut = timer.signal;
        this.ofStep = AbortSignal.any([interruption.signal, timer.signal]);
        this.#parts = parts;
        this.#endsAt = clock.now() + plan.timeoutMs;
        clock.after(plan.timeoutMs, () => {
            const unaffected = plan.wait ? ['in_progress'] : ['in_progress', 'triggering'];
            const others = ledger.runs.filter(({ state }) => !unaffected.includes(state.phase.at));
            for (const run of others)
                this.timeOut(run, hindranceOf(run));
            timer.abort();
        });
    }
    leftMs() {
        return this.#endsAt - this.#parts.clock.now();
    }
    interrupt() {
        const { interruption, plan } = this.#parts;
        this.#stop('interruption', plan.onCancel, interruption.first?.by ?? '');
    }
    timeOut(run, problem) {
        const { onTimeout, timeoutMs, wait } = this.#parts.plan;
        this.#stop('timeout', wait ? onTimeout : 'leave', (0,duration/* formatDuration */.a3)(timeoutMs), { runs: [run], problem });
    }
    queueTimeOut(run) {
        const { onTimeout, queueTimeoutMs } = this.#parts.plan;
        this.#stop('queue_timeout', onTimeout, (0,duration/* formatDuration */.a3)(queueTimeoutMs), { runs: [run] });
    }
    failFast(which) {
        this.#stop('fail_fast', this.#parts.plan.onCancel, which);
    }
    #stop(why, policy, detail, { problem, runs } = {}) {
        const { clock, ledger } = this.#parts;
        ledger.stop({ why, policy, at: clock.now(), detail, problem }, runs);
    }
}

;// CONCATENATED MODULE: ./run/step.js








async function runStep(outside) {
    const { interruption, ledger, plan } = outside;
    const parts = partsOf(outside);
    const reopened = [];
    const onInterrupted = () => {
        const ended = [...parts.ended];
        parts.stops.interrupt();
        for (const run of ended)
            reopened.push(settle(run, outside).catch((error) => void ledger.abandon(run, (0,base_text/* bugOf */.yG)(error))));
    };
    interruption.signal.addEventListener('abort', onInterrupted);
    const problems = await prepare(parts);
    if (problems !== undefined) {
        for (const run of ledger.runs)
            giveUp(run, problems.get(run) ?? problems.get('all'), parts);
    }
    else if (plan.dryRun) {
        await dryRun(parts);
    }
    else {
        await Promise.all(ledger.runs.map((run) => carryOut(run, parts)));
    }
    await interruption.caughtUp();
    await Promise.all(reopened);
    interruption.signal.removeEventListener('abort', onInterrupted);
    if (!plan.wait)
        ledger.applyToAll(detached);
}
function partsOf(outside) {
    const { host, observer, plan } = outside;
    const patience = new Patience(outside);
    host.onTick(() => observer.tick(patience.isFailing));
    return {
        ...outside,
        slots: new Slots(plan.maxParallel),
        turns: new Slots(1),
        patience,
        stops: new Stops(outside, (run) => patience.hindranceOf(run)),
        ended: new Set(),
    };
}
async function prepare(parts) {
    const { onReady, patience, service, stops } = parts;
    const host = await patience.repeat('exchange', (options) => service.exchange(options), stops.ofStep);
    if (stops.ofStep.aborted)
        return undefined;
    if (host.kind !== 'granted')
        return new Map([['all', host.problem]]);
    const problems = await resolve(parts);
    if (stops.ofStep.aborted)
        return undefined;
    if (problems.size > 0)
        return problems;
    onReady(host);
    return undefined;
}
function giveUp(run, problem, { ended, ledger }) {
    if (run.state.phase.at === 'waiting')
        ledger.apply(run, notQueued(problem));
    else if (problem !== undefined)
        ledger.apply(run, lost(problem));
    ended.add(run);
}

;// CONCATENATED MODULE: ./action/suggestions.js






const MOST_ADVISED = 3;
const MOST_SUGGESTIONS = 3;
const MOST_WORDS = 20;
const ONE_PER_LINE = 'Enter one name per line.';
const KEEP_LINES = `${ONE_PER_LINE} To keep the line breaks, begin the YAML block with | instead of >.`;
const WRAPPINGS = [
    [/^-\s+(.*)$/, `Remove the dash. The input is text, not a YAML list. ${ONE_PER_LINE}`],
    [/^\[["']?(.*?)["']?\]$/, `Remove the brackets and quotation marks. The input is text, not a list. ${ONE_PER_LINE}`],
    [/^(?:(.*?)\s)?#(?:\s.*)?$/, 'Remove the comment. In a YAML block, a comment becomes part of the text.'],
    [/^"(.*", .*)"$/, `Remove the quotation marks and commas. ${ONE_PER_LINE}`],
    [/^"(.*)"$/, 'Remove the quotation marks. They are part of the value.'],
    [/^'(.*)'$/, 'Remove the quotation marks. They are part of the value.'],
];
const NOT_NAMES = [
    [EXPRESSION, `The entry ${UNEVALUATED}`],
    [/^https?:\/\//i, 'Enter only the name or the UUID, without the rest of the URL.'],
    [/^Array$/, `GitHub converts a list to the text Array. To pass a list, use \${{ join(…, fromJSON('"\\n"')) }}.`],
    [/^Object$/, 'GitHub converts an object to the text Object. To pass a name, use the field that contains it.'],
    [
        /^(?:\$(?:env:)?\{?\w+\}?|%\w+%)$/,
        'Runners do not expand shell variables in inputs. To pass an environment variable, use ${{ env.NAME }}.',
    ],
];
function unwrapped(given) {
    let name = given;
    const advice = NOT_NAMES.filter(([pattern]) => pattern.test(given)).map(([, words]) => words);
    for (const [pattern, words] of WRAPPINGS) {
        if (!pattern.test(name))
            continue;
        advice.push(words);
        name = name.replace(pattern, '$1').trim();
    }
    return { name, advice };
}
async function adviseOn(unknown, pipelines, clock) {
    const drafts = [];
    for (const given of unknown.slice(0, MOST_ADVISED)) {
        const { advice, name } = unwrapped(given.slice(0, base_text/* LONGEST_NAME */.B6));
        drafts.push({ given, advice: [...advice], parts: suggestions_partsOf(name), similar: await similarTo(name, pipelines, clock) });
    }
    const texts = drafts.flatMap(({ parts, similar }) => [...parts, ...similar.flatMap(namesOf)]);
    const find = await lookUp(texts, pipelines, clock);
    return new Map(drafts.map(({ advice, given, parts, similar }) => {
        if (advice.length === 0 && /[,;]|\\n/.test(given))
            advice.push(ONE_PER_LINE);
        else if (advice.length === 0 && parts.some((part) => asUuid(part) !== undefined || find(part).length > 0))
            advice.push(KEEP_LINES);
        if (similar.length > 0)
            advice.push(`Did you mean ${(0,base_text/* listed */.KE)(similar.map((pipeline) => inputFor(pipeline, find)), 'or')}?`);
        return [given, advice.join(' ')];
    }));
}
function suggestions_partsOf(line) {
    const words = line.split(/\s+/).slice(0, MOST_WORDS);
    const parts = words.flatMap((_, from) => words.slice(from).map((__, count) => words.slice(from, from + count + 1)));
    return parts.map((part) => part.join(' '));
}
async function similarTo(name, pipelines, clock) {
    const wanted = folded((0,base_text/* asSeen */.aX)(name));
    let closest = [];
    for await (const pipeline of inSlices(pipelines, clock)) {
        const edits = Math.min(...namesOf(pipeline).map((each) => editsOf(each, wanted)));
        if (edits === Infinity)
            continue;
        closest = [...closest, { pipeline, edits }].sort((a, b) => a.edits - b.edits).slice(0, MOST_SUGGESTIONS);
    }
    return closest.map(({ pipeline }) => pipeline);
}
function folded(name) {
    return name
        .slice(0, COMPARED_CHARACTERS)
        .toLowerCase()
        .replace(/[\s_-]/g, '');
}
function editsOf(name, wanted) {
    const most = Math.floor(Math.min(name.length, COMPARED_CHARACTERS) / 3);
    const letters = folded(name);
    if (Math.abs(letters.length - wanted.length) > most)
        return Infinity;
    const edits = editDistance(letters, wanted);
    return edits <= most ? edits : Infinity;
}
function inputFor(pipeline, find) {
    const name = namesOf(pipeline).find((each) => isPastable(each, pipeline, find));
    const [shown = ''] = namesOf(pipeline);
    return name === undefined ? `"${pipeline.id}" (${(0,base_text/* oneLine */.TN)(shown, 80).replaceAll('"', "'")})` : `"${name}"`;
}
function isPastable(name, pipeline, find) {
    const [only, another] = find(name);
    if (only !== pipeline || another !== undefined || asUuid(name) !== undefined)
        return false;
    return (0,base_text/* oneLine */.TN)(name, 200) === name && !/["\\]|\$\{\{/.test(name);
}

;// CONCATENATED MODULE: ./action/main-step.js



















const ABORTED_WITHIN_MS = 100;
function mainStep(world, interruption) {
    const journal = newJournal(world);
    const files = {
        journal,
        outputs: new OutputWriter(world),
        recorder: new Recorder(world, { journal, state: world.env['GITHUB_STATE'] ?? '' }),
    };
    let mistakes = [];
    let begun;
    let running = Promise.resolve();
    return {
        async work() {
            maskKey(world);
            const read = readSettings(world);
            for (const remark of read.remarks)
                print(world, remark);
            const started = 'mistakes' in read ? read : begin(world, read.value, interruption, files);
            if ('mistakes' in started) {
                mistakes = started.mistakes;
                return;
            }
            begun = started;
            const { ledger, report, settings } = begun;
            running = runStep({
                ...world,
                time: new AwakeTime(world),
                interruption,
                ledger,
                observer: report,
                plan: settings.plan,
                adviseOn: adviseOn,
                service: openService(world, settings, { isFirstRejectionFinal: true }),
                onReady: (host) => report.announce(host),
            });
            await Promise.race([running, afterSignal(world, interruption, OUTPUTS_AFTER_MS)]);
            report.writeOutputs();
            report.writeSummary();
            await Promise.race([running, afterSignal(world, interruption, REPORT_AFTER_MS)]);
        },
        report() {
            if (begun === undefined)
                return refuse(world, mistakes, files);
            const { report, settings } = begun;
            const areWritten = report.writeOutputs();
            report.writeSummary();
            report.conclude();
            if (!areWritten || !isSuccess(statesOf(begun), settings.plan))
                return 1;
            const { by } = interruption.first ?? {};
            if (by === undefined)
                return 0;
            const line = `The step fails because it was interrupted (${by}) after it had finished its work.`;
            annotate(world, [{ level: 'notice', line, advice: [] }]);
            return 1;
        },
        async crash(why) {
            if (begun === undefined) {
                refuse(world, [(0,base_text/* internalError */.WB)(why)], files);
                return;
            }
            const { ledger, report } = begun;
            for (const run of ledger.runs)
                ledger.abandon(run, why);
            await Promise.race([running.catch(() => undefined), pause(world.clock, ABORTED_WITHIN_MS)]);
            report.writeOutputs();
            report.conclude();
            report.writeSummary();
        },
        close(isReported, code) {
            if (begun === undefined)
                return code;
            const isCancelling = begun.settings.plan.onCancel === 'cancel';
            const mustCancel = isCancelling && interruption.first !== undefined;
            const states = statesOf(begun);
            const { isSaved, isUnsaved, notes } = files.recorder.end(endOf(states, isReported, mustCancel));
            for (const note of notes)
                begun.report.note(note);
            if (isSaved || !isCancelling || !needsEnd(states))
                return code;
            const why = mustCancel ? 'was interrupted during its report' : 'could not save its last record';
            const isSure = !begun.ledger.runs.some(({ number, state }) => isUnsaved(number) || wasNotFound(state));
            const next = `the post step will ${isSure ? 'cancel' : 'try to cancel'} its runs at the end of the job.`;
            const check = isSure ? '' : 'Check the runs in the application.';
            annotate(world, [errorEnding(`The step ${why}, so ${next}`, check)]);
            return 1;
        },
    };
}
function begin(world, settings, interruption, { journal, outputs, recorder }) {
    const { clock, host } = world;
    const { baseUrl, jobStatus, plan } = settings;
    const { onCancel, pollIntervalMs, resetTarget, succeedOn } = plan;
    const report = new Report(world, settings, outputs);
    const policies = { onCancel, pollIntervalMs, resetTarget: resetTarget && !plan.dryRun, succeedOn };
    const canTrigger = !plan.dryRun && !areExisting(plan.targets);
    const first = { pid: host.pid, baseUrl: baseUrl.href, ...policies, jobStatus, journal, canTrigger };
    const runs = plan.targets.map((target, number) => ({ number, state: firstState(target, plan, clock) }));
    const ledger = new Ledger(runs, recorder, report);
    const noOutputs = report.prove();
    const problem = noOutputs ?? recorder.begin(first, ledger.runs);
    if (problem !== undefined) {
        const what = noOutputs === undefined
            ? 'The step could not write the files that it needs to cancel runs'
            : 'The step could not write its outputs';
        return { mistakes: [`${what}: ${(0,base_text/* sentence */.em)((0,base_text/* oneLine */.TN)(problem))} ${remedyForFile(problem, host.uid)}`] };
    }
    report.begin(ledger.runs);
    interruption.watch(() => isMarked(world, journal));
    return { settings, ledger, report };
}
function firstState(target, { dryRun }, clock) {
    const { jobId } = target;
    return jobId === undefined || dryRun ? planned(target) : claimed(jobId, clock.now())(planned(target));
}
function refuse(world, mistakes, { outputs, recorder }) {
    annotate(world, mistakes.map((line) => ({ level: 'error', line, advice: [], about: 'nothing was triggered' })));
    recorder.rejection();
    const all = mistakes.join(' ');
    const message = (0,base_text/* oneLine */.TN)(`Nothing was triggered. ${all}`, 1_000);
    try {
        outputs.write({ 'job-status': 'not_queued', outcome: 'not_triggered', message, results: '[]' });
    }
    catch (error) {
        const why = (0,base_text/* oneLine */.TN)((0,base_text/* messageOf */.bD)(error));
        if (!all.includes(why))
            print(world, `Could not write the outputs: ${why}`);
    }
    return 1;
}
function statesOf({ ledger }) {
    return ledger.runs.map(({ state }) => state);
}

;// CONCATENATED MODULE: ./action/process.js



const PRINT_WITHIN_MS = 5_000;
function runProcess({ clock, host, toolkit }, step, interruption, codeOfFailure) {
    host.setExitCode(codeOfFailure);
    let isEnding = false;
    let hasCrashed = false;
    let hasReport = true;
    const end = async (code) => {
        isEnding = true;
        const withinMs = interruption.first === undefined ? PRINT_WITHIN_MS : HURRIED_PRINT_WITHIN_MS;
        const tooLate = new Promise((resolve) => void clock.after(withinMs, () => resolve(false)));
        const isPrinted = await Promise.race([host.flushed(), tooLate]);
        await interruption.caughtUp();
        let finalCode = code;
        try {
            finalCode = step.close(hasReport && isPrinted && !interruption.hasNoReader, code);
        }
        catch (error) {
            print({ toolkit }, (0,base_text/* internalError */.WB)((0,base_text/* bugOf */.yG)(error)));
        }
        host.exit(finalCode);
    };
    const crash = async (why) => {
        if (isEnding || hasCrashed)
            return;
        hasCrashed = true;
        try {
            await step.crash(why);
        }
        catch {
            hasReport = false;
            print({ toolkit }, (0,base_text/* internalError */.WB)(why));
        }
        await end(codeOfFailure);
    };
    host.onError((error) => void crash((0,base_text/* bugOf */.yG)(error)));
    host.onDrained(() => void crash('the process ran out of work before the step had finished'));
    step
        .work()
        .then(() => (hasCrashed ? undefined : end(step.report())))
        .catch((error) => crash((0,base_text/* bugOf */.yG)(error)));
}

;// CONCATENATED MODULE: external "node:events"
const external_node_events_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");
;// CONCATENATED MODULE: external "node:fs"
const external_node_fs_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");
;// CONCATENATED MODULE: external "node:os"
const external_node_os_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");
;// CONCATENATED MODULE: external "os"
const external_os_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("os");
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/utils.js
// We use any as a valid input type
/* eslint-disable @typescript-eslint/no-explicit-any */
/**
 * Sanitizes an input into a string so it can be passed into issueCommand safely
 * @param input input to sanitize into a string
 */
function utils_toCommandValue(input) {
    if (input === null || input === undefined) {
        return '';
    }
    else if (typeof input === 'string' || input instanceof String) {
        return input;
    }
    return JSON.stringify(input);
}
/**
 *
 * @param annotationProperties
 * @returns The command properties to send with the actual annotation command
 * See IssueCommandProperties: https://github.com/actions/runner/blob/main/src/Runner.Worker/ActionCommandManager.cs#L646
 */
function toCommandProperties(annotationProperties) {
    if (!Object.keys(annotationProperties).length) {
        return {};
    }
    return {
        title: annotationProperties.title,
        file: annotationProperties.file,
        line: annotationProperties.startLine,
        endLine: annotationProperties.endLine,
        col: annotationProperties.startColumn,
        endColumn: annotationProperties.endColumn
    };
}
//# sourceMappingURL=utils.js.map
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/command.js


/**
 * Issues a command to the GitHub Actions runner
 *
 * @param command - The command name to issue
 * @param properties - Additional properties for the command (key-value pairs)
 * @param message - The message to include with the command
 * @remarks
 * This function outputs a specially formatted string to stdout that the Actions
 * runner interprets as a command. These commands can control workflow behavior,
 * set outputs, create annotations, mask values, and more.
 *
 * Command Format:
 *   ::name key=value,key=value::message
 *
 * @example
 * ```typescript
 * // Issue a warning annotation
 * issueCommand('warning', {}, 'This is a warning message');
 * // Output: ::warning::This is a warning message
 *
 * // Set an environment variable
 * issueCommand('set-env', { name: 'MY_VAR' }, 'some value');
 * // Output: ::set-env name=MY_VAR::some value
 *
 * // Add a secret mask
 * issueCommand('add-mask', {}, 'secretValue123');
 * // Output: ::add-mask::secretValue123
 * ```
 *
 * @internal
 * This is an internal utility function that powers the public API functions
 * such as setSecret, warning, error, and exportVariable.
 */
function command_issueCommand(command, properties, message) {
    const cmd = new Command(command, properties, message);
    process.stdout.write(cmd.toString() + external_os_namespaceObject.EOL);
}
function command_issue(name, message = '') {
    command_issueCommand(name, {}, message);
}
const CMD_STRING = '::';
class Command {
    constructor(command, properties, message) {
        if (!command) {
            command = 'missing.command';
        }
        this.command = command;
        this.properties = properties;
        this.message = message;
    }
    toString() {
        let cmdStr = CMD_STRING + this.command;
        if (this.properties && Object.keys(this.properties).length > 0) {
            cmdStr += ' ';
            let first = true;
            for (const key in this.properties) {
                if (this.properties.hasOwnProperty(key)) {
                    const val = this.properties[key];
                    if (val) {
                        if (first) {
                            first = false;
                        }
                        else {
                            cmdStr += ',';
                        }
                        cmdStr += `${key}=${escapeProperty(val)}`;
                    }
                }
            }
        }
        cmdStr += `${CMD_STRING}${escapeData(this.message)}`;
        return cmdStr;
    }
}
function escapeData(s) {
    return utils_toCommandValue(s)
        .replace(/%/g, '%25')
        .replace(/\r/g, '%0D')
        .replace(/\n/g, '%0A');
}
function escapeProperty(s) {
    return utils_toCommandValue(s)
        .replace(/%/g, '%25')
        .replace(/\r/g, '%0D')
        .replace(/\n/g, '%0A')
        .replace(/:/g, '%3A')
        .replace(/,/g, '%2C');
}
//# sourceMappingURL=command.js.map
;// CONCATENATED MODULE: external "path"
const external_path_namespaceObject = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("path");
;// CONCATENATED MODULE: ./node_modules/@actions/core/lib/core.js
var __awaiter = (undefined && undefined.__awaiter) || function (thisArg, _arguments, P, generator) {
    function adopt(value) { return value instanceof P ? value : new P(function (resolve) { resolve(value); }); }
    return new (P || (P = Promise))(function (resolve, reject) {
        function fulfilled(value) { try { step(generator.next(value)); } catch (e) { reject(e); } }
        function rejected(value) { try { step(generator["throw"](value)); } catch (e) { reject(e); } }
        function step(result) { result.done ? resolve(result.value) : adopt(result.value).then(fulfilled, rejected); }
        step((generator = generator.apply(thisArg, _arguments || [])).next());
    });
};






/**
 * The code to exit an action
 */
var ExitCode;
(function (ExitCode) {
    /**
     * A code indicating that the action was successful
     */
    ExitCode[ExitCode["Success"] = 0] = "Success";
    /**
     * A code indicating that the action was a failure
     */
    ExitCode[ExitCode["Failure"] = 1] = "Failure";
})(ExitCode || (ExitCode = {}));
//-----------------------------------------------------------------------
// Variables
//-----------------------------------------------------------------------
/**
 * Sets env variable for this action and future actions in the job
 * @param name the name of the variable to set
 * @param val the value of the variable. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function exportVariable(name, val) {
    const convertedVal = toCommandValue(val);
    process.env[name] = convertedVal;
    const filePath = process.env['GITHUB_ENV'] || '';
    if (filePath) {
        return issueFileCommand('ENV', prepareKeyValueMessage(name, val));
    }
    issueCommand('set-env', { name }, convertedVal);
}
/**
 * Registers a secret which will get masked from logs
 *
 * @param secret - Value of the secret to be masked
 * @remarks
 * This function instructs the Actions runner to mask the specified value in any
 * logs produced during the workflow run. Once registered, the secret value will
 * be replaced with asterisks (***) whenever it appears in console output, logs,
 * or error messages.
 *
 * This is useful for protecting sensitive information such as:
 * - API keys
 * - Access tokens
 * - Authentication credentials
 * - URL parameters containing signatures (SAS tokens)
 *
 * Note that masking only affects future logs; any previous appearances of the
 * secret in logs before calling this function will remain unmasked.
 *
 * @example
 * ```typescript
 * // Register an API token as a secret
 * const apiToken = "abc123xyz456";
 * setSecret(apiToken);
 *
 * // Now any logs containing this value will show *** instead
 * console.log(`Using token: ${apiToken}`); // Outputs: "Using token: ***"
 * ```
 */
function setSecret(secret) {
    command_issueCommand('add-mask', {}, secret);
}
/**
 * Prepends inputPath to the PATH (for this action and future actions)
 * @param inputPath
 */
function addPath(inputPath) {
    const filePath = process.env['GITHUB_PATH'] || '';
    if (filePath) {
        issueFileCommand('PATH', inputPath);
    }
    else {
        issueCommand('add-path', {}, inputPath);
    }
    process.env['PATH'] = `${inputPath}${path.delimiter}${process.env['PATH']}`;
}
/**
 * Gets the value of an input.
 * Unless trimWhitespace is set to false in InputOptions, the value is also trimmed.
 * Returns an empty string if the value is not defined.
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   string
 */
function getInput(name, options) {
    const val = process.env[`INPUT_${name.replace(/ /g, '_').toUpperCase()}`] || '';
    if (options && options.required && !val) {
        throw new Error(`Input required and not supplied: ${name}`);
    }
    if (options && options.trimWhitespace === false) {
        return val;
    }
    return val.trim();
}
/**
 * Gets the values of an multiline input.  Each value is also trimmed.
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   string[]
 *
 */
function getMultilineInput(name, options) {
    const inputs = getInput(name, options)
        .split('\n')
        .filter(x => x !== '');
    if (options && options.trimWhitespace === false) {
        return inputs;
    }
    return inputs.map(input => input.trim());
}
/**
 * Gets the input value of the boolean type in the YAML 1.2 "core schema" specification.
 * Support boolean input list: `true | True | TRUE | false | False | FALSE` .
 * The return value is also in boolean type.
 * ref: https://yaml.org/spec/1.2/spec.html#id2804923
 *
 * @param     name     name of the input to get
 * @param     options  optional. See InputOptions.
 * @returns   boolean
 */
function getBooleanInput(name, options) {
    const trueValue = ['true', 'True', 'TRUE'];
    const falseValue = ['false', 'False', 'FALSE'];
    const val = getInput(name, options);
    if (trueValue.includes(val))
        return true;
    if (falseValue.includes(val))
        return false;
    throw new TypeError(`Input does not meet YAML 1.2 "Core Schema" specification: ${name}\n` +
        `Support boolean input list: \`true | True | TRUE | false | False | FALSE\``);
}
/**
 * Sets the value of an output.
 *
 * @param     name     name of the output to set
 * @param     value    value to store. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function setOutput(name, value) {
    const filePath = process.env['GITHUB_OUTPUT'] || '';
    if (filePath) {
        return issueFileCommand('OUTPUT', prepareKeyValueMessage(name, value));
    }
    process.stdout.write(os.EOL);
    issueCommand('set-output', { name }, toCommandValue(value));
}
/**
 * Enables or disables the echoing of commands into stdout for the rest of the step.
 * Echoing is disabled by default if ACTIONS_STEP_DEBUG is not set.
 *
 */
function setCommandEcho(enabled) {
    issue('echo', enabled ? 'on' : 'off');
}
//-----------------------------------------------------------------------
// Results
//-----------------------------------------------------------------------
/**
 * Sets the action status to failed.
 * When the action exits it will be with an exit code of 1
 * @param message add error issue message
 */
function setFailed(message) {
    process.exitCode = ExitCode.Failure;
    error(message);
}
//-----------------------------------------------------------------------
// Logging Commands
//-----------------------------------------------------------------------
/**
 * Gets whether Actions Step Debug is on or not
 */
function isDebug() {
    return process.env['RUNNER_DEBUG'] === '1';
}
/**
 * Writes debug message to user log
 * @param message debug message
 */
function debug(message) {
    command_issueCommand('debug', {}, message);
}
/**
 * Adds an error issue
 * @param message error issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function error(message, properties = {}) {
    command_issueCommand('error', toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Adds a warning issue
 * @param message warning issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function warning(message, properties = {}) {
    command_issueCommand('warning', toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Adds a notice issue
 * @param message notice issue message. Errors will be converted to string via toString()
 * @param properties optional properties to add to the annotation.
 */
function notice(message, properties = {}) {
    command_issueCommand('notice', toCommandProperties(properties), message instanceof Error ? message.toString() : message);
}
/**
 * Writes info to log with console.log.
 * @param message info message
 */
function info(message) {
    process.stdout.write(message + external_os_namespaceObject.EOL);
}
/**
 * Begin an output group.
 *
 * Output until the next `groupEnd` will be foldable in this group
 *
 * @param name The name of the output group
 */
function startGroup(name) {
    issue('group', name);
}
/**
 * End an output group.
 */
function endGroup() {
    issue('endgroup');
}
/**
 * Wrap an asynchronous function call in a group.
 *
 * Returns the same type as the function itself.
 *
 * @param name The name of the group
 * @param fn The function to wrap in the group
 */
function group(name, fn) {
    return __awaiter(this, void 0, void 0, function* () {
        startGroup(name);
        let result;
        try {
            result = yield fn();
        }
        finally {
            endGroup();
        }
        return result;
    });
}
//-----------------------------------------------------------------------
// Wrapper action state
//-----------------------------------------------------------------------
/**
 * Saves state for current action, the state can only be retrieved by this action's post job execution.
 *
 * @param     name     name of the state to store
 * @param     value    value to store. Non-string values will be converted to a string via JSON.stringify
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function saveState(name, value) {
    const filePath = process.env['GITHUB_STATE'] || '';
    if (filePath) {
        return issueFileCommand('STATE', prepareKeyValueMessage(name, value));
    }
    issueCommand('save-state', { name }, toCommandValue(value));
}
/**
 * Gets the value of an state set by this action's main execution.
 *
 * @param     name     name of the state to get
 * @returns   string
 */
function getState(name) {
    return process.env[`STATE_${name}`] || '';
}
function getIDToken(aud) {
    return __awaiter(this, void 0, void 0, function* () {
        return yield OidcClient.getIDToken(aud);
    });
}
/**
 * Summary exports
 */

/**
 * @deprecated use core.summary
 */

/**
 * Path exports
 */

/**
 * Platform utilities exports
 */

//# sourceMappingURL=core.js.map
;// CONCATENATED MODULE: ./service/http.js


function createSend(parts) {
    return async (request, limits) => {
        let send;
        try {
            const proxy = (0,service_proxy/* proxyFor */.iJ)(request.url, parts.env);
            const { makeRequest } = await __nccwpck_require__.e(/* import() */ 162).then(__nccwpck_require__.bind(__nccwpck_require__, 162));
            send = () => makeRequest(parts, request, limits, proxy);
        }
        catch (error) {
            return (0,service_send/* unanswered */.bj)(false, error);
        }
        return send();
    };
}

;// CONCATENATED MODULE: ./real-world.js






const LONGEST_TIMER_MS = 2 ** 31 - 1;
const USER_AGENT = 'run-pipeline';
const clock = {
    now: () => Number(process.hrtime.bigint()) / 1e6,
    wall: () => Date.now(),
    after(ms, task) {
        if (ms === Infinity)
            return () => undefined;
        const timer = setTimeout(task, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
        return () => clearTimeout(timer);
    },
};
const files = {
    append(path, text) {
        const file = external_node_fs_namespaceObject.openSync(path, external_node_fs_namespaceObject.constants.O_RDWR | external_node_fs_namespaceObject.constants.O_APPEND);
        try {
            const { size } = external_node_fs_namespaceObject.fstatSync(file);
            const isInsideLine = size > 0 && bytesAt(file, size - 1, 1).toString() !== '\n';
            const line = Buffer.from(isInsideLine ? `\n${text}` : text);
            try {
                external_node_fs_namespaceObject.writeFileSync(file, line);
            }
            catch (error) {
                if (orUndefined(() => hasOnlyPartOf(line, file, size)) === true)
                    orUndefined(() => external_node_fs_namespaceObject.truncateSync(path, size));
                throw error;
            }
        }
        finally {
            external_node_fs_namespaceObject.closeSync(file);
        }
    },
    create: (path, text) => external_node_fs_namespaceObject.writeFileSync(path, text, { flag: 'wx', mode: 0o600 }),
    read: (path) => orUndefined(() => external_node_fs_namespaceObject.readFileSync(path, 'utf8')),
    list: (folder) => orUndefined(() => external_node_fs_namespaceObject.readdirSync(folder)) ?? [],
};
function hasOnlyPartOf(line, file, size) {
    const added = external_node_fs_namespaceObject.fstatSync(file).size - size;
    return added <= line.length && bytesAt(file, size, added).equals(line.subarray(0, added));
}
function bytesAt(file, position, length) {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, external_node_fs_namespaceObject.readSync(file, bytes, 0, length, position));
}
function orUndefined(task) {
    try {
        return task();
    }
    catch {
        return undefined;
    }
}
function asOutput(name, value) {
    let delimiter = 'END';
    while (value.includes(delimiter))
        delimiter += '_END';
    return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}
const ANNOTATE = { error: error, warning: warning, notice: notice };
const toolkit = {
    getInput: (name) => getInput(name),
    setSecret: (secret) => setSecret(secret),
    setOutput: (name, value) => files.append(process.env['GITHUB_OUTPUT'] ?? '', asOutput(name, value)),
    info: (line) => info(line),
    debug(line) {
        if (isDebug())
            process.nextTick(() => debug(line));
    },
    annotate: (level, message, title) => ANNOTATE[level](message, { title }),
};
function isHeldUp() {
    return process.getActiveResourcesInfo().some((name) => /^GetAddrInfoReq/.test(name));
}
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'];
const host = {
    pid: process.pid,
    hostname: (0,external_node_os_namespaceObject.hostname)(),
    uid: process.getuid?.(),
    parent: () => process.ppid,
    isAlive(pid) {
        try {
            return process.kill(pid, 0);
        }
        catch (error) {
            return error instanceof Error && 'code' in error && error.code === 'EPERM';
        }
    },
    onSignal(listener) {
        for (const name of SIGNALS)
            process.on(name, () => listener(name));
    },
    onStdoutClosed(listener) {
        process.stdout.on('error', listener);
        process.stderr.on('error', () => undefined);
    },
    onError(listener) {
        process.on('uncaughtException', listener);
        process.on('unhandledRejection', listener);
    },
    onTick: (listener) => void setInterval(listener, TICK_MS).unref(),
    onDrained: (listener) => void process.on('beforeExit', listener),
    flushed: () => new Promise((resolve) => {
        process.stdout.write('', (error) => resolve(error === null || error === undefined));
    }),
    turned: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
    setExitCode(code) {
        process.exitCode = code;
    },
    exit(code) {
        if (code === 0 || !isHeldUp())
            process.exit(code);
        setImmediate(() => {
            if (isHeldUp())
                process.kill(process.pid, 'SIGKILL');
            process.exit(code);
        });
    },
};
function realWorld() {
    (0,external_node_events_namespaceObject.setMaxListeners)(0);
    const send = createSend({ clock, env: process.env, userAgent: USER_AGENT });
    return { env: process.env, clock, random: Math.random, files, toolkit, host, send };
}

;// CONCATENATED MODULE: ./index.js






const ENTRIES = { main: [mainStep, 1], post: [postStep, 0], cancel: [cancelStep, 1] };
function run(entry, world, parent) {
    const [step, codeOfFailure] = ENTRIES[entry];
    const interruption = listenForInterruption(world, parent);
    runProcess(world, step(world, interruption), interruption, codeOfFailure);
}
const runMain = (parent) => run('main', realWorld(), parent);
const runPost = (parent) => run('post', realWorld(), parent);
const runCancel = (parent) => run('cancel', realWorld(), parent);

var __webpack_exports__run = __webpack_exports__.eF;
var __webpack_exports__runCancel = __webpack_exports__.Qf;
var __webpack_exports__runMain = __webpack_exports__.VN;
var __webpack_exports__runPost = __webpack_exports__.a2;
export { __webpack_exports__run as run, __webpack_exports__runCancel as runCancel, __webpack_exports__runMain as runMain, __webpack_exports__runPost as runPost };
