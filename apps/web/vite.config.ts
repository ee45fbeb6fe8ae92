import { defineConfig } from 'vite'

/** React, and the lower folders of `src`. Wallets and the checks of inputs and receipts come when they are asked for. */
const NEEDED_EVERYWHERE =
  /node_modules\/(?:react|react-dom|scheduler)\/|vite\/preload-helper|apps\/web\/src\/(?:site|signs|format|parts|purse)\/|keys\/key(?:board|-names)/

/** With its setting, so that the setting is made before any chunk makes a schema. A first page does without both. */
const ZOD = /node_modules\/zod\/|site\/without-eval/

// The browser's part. The server's is compiled by the type checker like every other package's, and renders the same pages.
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  resolve: { conditions: ['@farebox/source', 'module', 'browser'] },
  build: {
    outDir: 'dist/client',
    emptyOutDir: true,
    manifest: true,
    modulePreload: { polyfill: false },
    // No inline images: the policy of the pages allows none in the document.
    assetsInlineLimit: 0,
    target: 'es2022',
    rolldownOptions: {
      input: { main: 'src/browser/main.tsx' },
      output: {
        // What every page needs is one file: thirty small ones cost a distant reader a second for each six of them.
        codeSplitting: {
          groups: [
            { name: 'zod', test: ZOD },
            { name: 'base', test: NEEDED_EVERYWHERE },
          ],
        },
      },
    },
  },
})
