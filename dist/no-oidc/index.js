/******/ // The require scope
/******/ var __nccwpck_require__ = {};
/******/ 
/************************************************************************/
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
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/************************************************************************/
var __webpack_exports__ = {};
/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   Q: () => (/* binding */ HttpClient),
/* harmony export */   t: () => (/* binding */ BearerCredentialHandler)
/* harmony export */ });
const WHY = 'run-pipeline is bundled without OpenID Connect';
function HttpClient() {
    throw new Error(WHY);
}
function BearerCredentialHandler() {
    throw new Error(WHY);
}

var __webpack_exports__BearerCredentialHandler = __webpack_exports__.t;
var __webpack_exports__HttpClient = __webpack_exports__.Q;
export { __webpack_exports__BearerCredentialHandler as BearerCredentialHandler, __webpack_exports__HttpClient as HttpClient };
