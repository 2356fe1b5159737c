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
    /** What is not bundled, by the name it is imported by, and the name under which it is found at run time. */
    readonly externals: Readonly<Record<string, string>>;
  }

  // biome-ignore lint/style/noDefaultExport: it is how the package exports it
  export default function ncc(input: string, options: Options): Promise<Bundle>;
}
