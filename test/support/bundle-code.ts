// Facts about the code of a bundle.
import ts from 'typescript';

/** What static analysis reveals about a piece of JavaScript. */
export interface CodeFacts {
  /** The modules that it loads: the name, or the code that computes the name. */
  readonly loads: readonly { readonly name: string; readonly literal: boolean }[];
  /** Places that turn text into code. */
  readonly codeFromText: readonly string[];
  /** Names that it looks up in `process.env` or in an `env` parameter. */
  readonly variables: readonly string[];
  /** The expressions for names of variables that it computes at run time. */
  readonly computedVariables: readonly string[];
  /** Hosts in its string literals. */
  readonly hosts: readonly string[];
}

/** Parses JavaScript like a compiler, so comments and strings do not count as code. */
export function factsOf(code: string): CodeFacts {
  const loads: { name: string; literal: boolean }[] = [];
  const codeFromText: string[] = [];
  const variables = new Set<string>();
  const computed = new Set<string>();
  const hosts = new Set<string>();
  const file = ts.createSourceFile('bundle.js', code, ts.ScriptTarget.ESNext, false, ts.ScriptKind.JS);
  const textOf = (node: ts.Node): string => node.getText(file);

  const load = (name: ts.Node | undefined): void => {
    if (name === undefined) return;
    const literal = ts.isStringLiteralLike(name);
    loads.push({ name: literal ? name.text : textOf(name), literal });
  };
  const call = (node: ts.CallExpression | ts.NewExpression): void => {
    const { expression, arguments: args } = node;
    const [first] = args ?? [];
    const callee = textOf(expression);
    if (expression.kind === ts.SyntaxKind.ImportKeyword || callee === 'require') load(first);
    if (ts.isCallExpression(expression) && /createRequire/.test(textOf(expression.expression))) load(first);
    const makesCode = /^(?:globalThis\.)?(?:eval|Function)$|\.constructor$|\b(?:runIn\w*Context|compileFunction)$/;
    const timer = /^set(?:Timeout|Interval|Immediate)$/.test(callee);
    if (makesCode.test(callee) || (timer && first !== undefined && ts.isStringLiteralLike(first))) {
      codeFromText.push(textOf(node).slice(0, 80));
    }
  };
  const isEnv = (node: ts.Node): boolean => /^(?:process|parts)?\.?env$/.test(textOf(node));
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) load(node.moduleSpecifier);
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) call(node);
    if (ts.isPropertyAccessExpression(node) && isEnv(node.expression)) variables.add(node.name.text);
    if (ts.isElementAccessExpression(node) && isEnv(node.expression)) {
      const { argumentExpression: name } = node;
      if (ts.isStringLiteralLike(name)) variables.add(name.text);
      else computed.add(textOf(name));
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const [, host = ''] of node.text.matchAll(/\bhttps?:\/\/([\w-]+(?:\.[\w-]+)+)/gi)) hosts.add(host);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return {
    loads,
    codeFromText,
    variables: [...variables].sort(),
    computedVariables: [...computed].sort(),
    hosts: [...hosts].sort(),
  };
}
