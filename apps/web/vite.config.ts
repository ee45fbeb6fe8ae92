import { defineConfig } from 'vite'

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
    // One style sheet, no inline images: the policy of the pages allows neither in the document.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    target: 'es2022',
    rolldownOptions: { input: { main: 'src/browser/main.tsx' } },
  },
})
