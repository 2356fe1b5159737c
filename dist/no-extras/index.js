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
/* harmony export */   Om: () => (/* binding */ missing),
/* harmony export */   eG: () => (/* binding */ missing),
/* harmony export */   hz: () => (/* binding */ OidcClient),
/* harmony export */   kb: () => (/* binding */ missing),
/* harmony export */   yo: () => (/* binding */ markdownSummary),
/* harmony export */   z: () => (/* binding */ summary)
/* harmony export */ });
function missing() {
  throw new Error('run-pipeline is bundled without this part of @actions/core');
}
const OidcClient = { getIDToken: missing };
const summary = undefined;
const markdownSummary = undefined;


var __webpack_exports__OidcClient = __webpack_exports__.hz;
var __webpack_exports__markdownSummary = __webpack_exports__.yo;
var __webpack_exports__summary = __webpack_exports__.z;
var __webpack_exports__toPlatformPath = __webpack_exports__.Om;
var __webpack_exports__toPosixPath = __webpack_exports__.kb;
var __webpack_exports__toWin32Path = __webpack_exports__.eG;
export { __webpack_exports__OidcClient as OidcClient, __webpack_exports__markdownSummary as markdownSummary, __webpack_exports__summary as summary, __webpack_exports__toPlatformPath as toPlatformPath, __webpack_exports__toPosixPath as toPosixPath, __webpack_exports__toWin32Path as toWin32Path };
