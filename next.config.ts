import type { NextConfig } from 'next';

/** scripts/build.mjs names the folder of each build by what went into it, so that a running server keeps its files. */
const config: NextConfig = {
  distDir: process.env.TESSERA_PAGES_DIR ?? '.next',
  poweredByHeader: false,
  // On loopback compressing costs more than it saves.
  compress: false,
  reactStrictMode: true,
  productionBrowserSourceMaps: false,
  // `npm run typecheck` does it, for everything at once. Next rewrites the file that is named here.
  typescript: { ignoreBuildErrors: true, tsconfigPath: process.env.TESSERA_PAGES_TSCONFIG ?? 'tsconfig.json' },
  images: { unoptimized: true },
  devIndicators: false,
};

export default config;
