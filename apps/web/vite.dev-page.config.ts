import { defineConfig } from 'vite'

// The page of `farebox dev`: it has no server of ours behind it, so its document is static too. It ships in
// `@farebox/cli`, whose build it is therefore put into.
export default defineConfig({
  root: `${import.meta.dirname}/src/dev-page`,
  publicDir: false,
  logLevel: 'warn',
  resolve: { conditions: ['@farebox/source', 'module', 'browser'] },
  build: {
    outDir: `${import.meta.dirname}/../../packages/cli/dist/client`,
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    target: 'es2022',
  },
})
