export const id = 186;
export const ids = [186];
export const modules = {

/***/ 186:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   createSend: () => (/* binding */ createSend)
/* harmony export */ });
/* harmony import */ var node_dns__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(610);
/* harmony import */ var node_http__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(67);
/* harmony import */ var node_https__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(708);
/* harmony import */ var node_net__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(30);
/* harmony import */ var _base_duration_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(902);
/* harmony import */ var _base_text_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(497);
/* harmony import */ var _proxy_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(484);







function createSend(parts) {
    return (request, limits) => new Promise((resolve) => new Exchange(parts, request, limits, resolve).start());
}
const LONGEST_ENOUGH = 1_024;
class Exchange {
    #parts;
    #request;
    #limits;
    #resolve;
    #chunks = [];
    #length = 0;
    #connected = false;
    #finished = false;
    #response;
    #stopTimer = () => undefined;
    #current;
    constructor(parts, request, limits, resolve) {
        this.#parts = parts;
        this.#request = request;
        this.#limits = limits;
        this.#resolve = resolve;
    }
    start() {
        const { signal, withinMs } = this.#limits;
        if (signal?.aborted) {
            this.#finish({ kind: 'aborted' });
            return;
        }
        signal?.addEventListener('abort', this.#onAbort);
        this.#expireAfter(withinMs);
        this.#try('PROXY_ADDRESS', () => {
            const proxy = (0,_proxy_js__WEBPACK_IMPORTED_MODULE_6__/* .proxyFor */ .iJ)(this.#request.url, this.#parts.env);
            this.#locate(proxy?.url ?? this.#request.url, (route) => proxy === undefined ? this.#sendOver(route) : this.#openTunnel(proxy, route));
        });
    }
    #locate({ hostname }, next) {
        const host = (0,_proxy_js__WEBPACK_IMPORTED_MODULE_6__/* .withoutBrackets */ .o4)(hostname);
        const { lookup = node_dns__WEBPACK_IMPORTED_MODULE_0__.lookup } = this.#parts;
        if ((0,node_net__WEBPACK_IMPORTED_MODULE_3__.isIP)(host) !== 0)
            this.#try('', () => next({ host }));
        else
            this.#try('', () => lookup(host, { all: true }, (error, addresses) => {
                if (error)
                    this.#failWith(error);
                if (this.#finished)
                    return;
                const shareMs = Math.max(10, Math.floor(this.#limits.withinMs / Math.max(addresses.length, 1)));
                this.#try('', () => next({ host, lookup: known(addresses), autoSelectFamilyAttemptTimeout: shareMs }));
            }));
    }
    #openTunnel({ url: proxy, authorization }, route) {
        const { url } = this.#request;
        const authority = `${url.hostname}:${(0,_proxy_js__WEBPACK_IMPORTED_MODULE_6__/* .portOf */ .HM)(url)}`;
        const isSecure = proxy.protocol === 'https:';
        const connect = (isSecure ? node_https__WEBPACK_IMPORTED_MODULE_2__ : node_http__WEBPACK_IMPORTED_MODULE_1__).request({
            ...route,
            port: proxy.port,
            method: 'CONNECT',
            path: authority,
            agent: false,
            headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
            ...(isSecure && { servername: (0,node_net__WEBPACK_IMPORTED_MODULE_3__.isIP)(route.host) === 0 ? route.host : '' }),
        });
        this.#current = connect;
        connect.on('connect', ({ statusCode = 0 }, socket, head) => {
            if (statusCode < 200 || statusCode > 299)
                this.#fail('PROXY_REFUSED', String(statusCode));
            else if (head.length > 0)
                this.#fail('PROXY_FAILED', 'the proxy sent unexpected data');
            else
                this.#try('', () => this.#sendOver({ host: (0,_proxy_js__WEBPACK_IMPORTED_MODULE_6__/* .withoutBrackets */ .o4)(url.hostname), socket }));
        });
        connect.on('error', (error) => this.#fail('PROXY_FAILED', textOf(error)));
        connect.end();
    }
    #sendOver(route) {
        const { method, url, headers, body } = this.#request;
        const isSecure = url.protocol === 'https:';
        const outgoing = (isSecure ? node_https__WEBPACK_IMPORTED_MODULE_2__ : node_http__WEBPACK_IMPORTED_MODULE_1__).request({
            ...route,
            method,
            agent: false,
            port: url.port,
            path: url.pathname + url.search,
            headers: {
                accept: 'application/json',
                'accept-encoding': 'identity',
                'user-agent': this.#parts.userAgent,
                ...headers,
                host: url.host,
            },
        });
        this.#current = outgoing;
        outgoing.on('socket', (socket) => this.#watch(socket, isSecure));
        outgoing.on('response', (message) => this.#receive(message));
        outgoing.on('error', (error) => this.#failWith(error));
        outgoing.on('close', () => this.#fail('ECONNRESET', 'the connection closed'));
        outgoing.end(body);
    }
    #watch(socket, isSecure) {
        if (isSecure)
            socket.once('secureConnect', () => this.#onConnected());
        else if (socket.connecting)
            socket.once('connect', () => this.#onConnected());
        else if (!socket.destroyed)
            this.#onConnected();
    }
    #onConnected() {
        if (this.#connected || this.#finished)
            return;
        this.#connected = true;
        const { answerMs, signal, untilConnected } = this.#limits;
        if (untilConnected)
            signal?.removeEventListener('abort', this.#onAbort);
        if (answerMs !== undefined)
            this.#expireAfter(answerMs);
    }
    #receive(message) {
        this.#onConnected();
        this.#response = message;
        message.on('data', (chunk) => this.#onChunk(chunk));
        message.on('error', () => this.#end('cut off'));
        message.on('close', () => this.#end('cut off'));
        message.on('end', () => this.#end(message.complete ? 'complete' : 'cut off'));
    }
    #onChunk(chunk) {
        if (this.#finished)
            return;
        const { isEnough, maxBytes } = this.#limits;
        this.#chunks.push(chunk.subarray(0, maxBytes - this.#length));
        this.#length += chunk.length;
        if (this.#length > maxBytes)
            this.#end('too large');
        else if (this.#length <= LONGEST_ENOUGH && isEnough?.(this.#text))
            this.#end('complete');
    }
    get #text() {
        return new TextDecoder().decode(Buffer.concat(this.#chunks));
    }
    #end(body) {
        if (this.#finished)
            return;
        const { statusCode: status = 0, headers = {} } = this.#response ?? {};
        this.#finish({ kind: 'answered', status, headers, text: this.#text, body });
    }
    #try(code, task) {
        try {
            task();
        }
        catch (error) {
            this.#failWith(error, code);
        }
    }
    #failWith(error, usualCode = '') {
        const { code } = error instanceof Error ? error : new Error();
        this.#fail(code ?? usualCode, textOf(error));
    }
    #fail(code, message) {
        if (this.#response === undefined)
            this.#finish({ kind: 'unanswered', connected: this.#connected, code, message });
    }
    #expireAfter(ms) {
        this.#stopTimer();
        this.#stopTimer = this.#parts.clock.after(ms, () => {
            if (this.#response === undefined)
                this.#fail('DEADLINE', `within ${(0,_base_duration_js__WEBPACK_IMPORTED_MODULE_4__/* .formatDuration */ .a3)(ms)}`);
            else
                this.#end('stalled');
        });
    }
    #onAbort = () => this.#finish({ kind: 'aborted' });
    #finish(answer) {
        if (this.#finished)
            return;
        this.#finished = true;
        this.#stopTimer();
        this.#limits.signal?.removeEventListener('abort', this.#onAbort);
        this.#current?.destroy();
        this.#resolve(answer);
    }
}
function textOf(error) {
    return error instanceof AggregateError && error.message === ''
        ? error.errors.map(_base_text_js__WEBPACK_IMPORTED_MODULE_5__/* .messageOf */ .bD).join('; ')
        : (0,_base_text_js__WEBPACK_IMPORTED_MODULE_5__/* .messageOf */ .bD)(error);
}
function known(addresses) {
    return (_host, options, callback) => {
        const [first] = addresses;
        if (options.all)
            callback(null, addresses);
        else
            callback(null, first?.address ?? '', first?.family);
    };
}


/***/ })

};
