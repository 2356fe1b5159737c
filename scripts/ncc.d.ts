declare module '@vercel/ncc' {
  interface Asset {
    readonly source: string | Buffer;
  }

  interface Bundle {
    readonly code: string;
    readonly assets: Readonly<Record<string, Asset>>;
    readonly stats: { toJson(): unknown };
  }

  interface Options {
    readonly cache: false;
    readonly quiet: boolean;
    /** Imports that ncc does not bundle, as their specifiers in the source and at run time. */
    readonly externals: Readonly<Record<string, string>>;
  }

  // biome-ignore lint/style/noDefaultExport: the package has a default export
  export default function ncc(input: string, options: Options): Promise<Bundle>;
}
