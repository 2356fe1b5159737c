// The imports of a source file.
import ts from 'typescript';

/** A place where a file imports another module. */
export interface Import {
  /** The module's name as written; undefined if it is computed at run time and so cannot be checked. */
  readonly specifier: string | undefined;
  /** True if it loads nothing at run time: `import type`, `export type … from`, `import('…').Name` as a type. */
  readonly typeOnly: boolean;
}

function literal(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** The imports of this node itself, without its children. */
function importOf(node: ts.Node): Import | undefined {
  if (ts.isImportDeclaration(node)) {
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { specifier: literal(node.moduleSpecifier), typeOnly };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return { specifier: literal(node.moduleSpecifier), typeOnly: node.isTypeOnly };
  }
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) {
    return { specifier: literal(node.moduleReference.expression), typeOnly: node.isTypeOnly };
  }
  if (ts.isImportTypeNode(node)) {
    const specifier = ts.isLiteralTypeNode(node.argument) ? literal(node.argument.literal) : undefined;
    return { specifier, typeOnly: true };
  }
  if (!ts.isCallExpression(node)) return undefined;
  const { expression: callee } = node;
  const isRequire = ts.isIdentifier(callee) && callee.text === 'require';
  if (!isRequire && callee.kind !== ts.SyntaxKind.ImportKeyword) return undefined;
  return { specifier: literal(node.arguments[0]), typeOnly: false };
}

/** Everything that a TypeScript source imports: statically, dynamically, by re-export or as a type. */
export function importsOf(source: string): readonly Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const one = importOf(node);
    if (one !== undefined) found.push(one);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
  return found;
}
