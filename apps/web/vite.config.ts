import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Endings of the files that browsers receive. */
const SENT = /\.(?:js|css|svg|txt)$/

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/** Writes a compressed version next to each file, so that a platform sends it from the start. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir }) {
      if (dir === undefined) throw new Error('the build has no folder')
      const entries = await readdir(dir, { withFileTypes: true, recursive: true })
      const files = entries.filter(entry => entry.isFile() && SENT.test(entry.name))
      await Promise.all(files.map(({ parentPath, name }) => compressFile(join(parentPath, name))))
    },
  }
}

async function compressFile(file: string): Promise<void> {
  const raw = await readFile(file)
  await writeFile(`${file}.gz`, await promisify(gzip)(raw))
  await writeFile(`${file}.br`, await promisify(brotliCompress)(raw, BROTLI))
}

/** React, and the lower folders of `src`. Wallets and the checks of inputs and receipts come when they are asked for. */
const NEEDED_EVERYWHERE =
  /node_modules\/(?:react|react-dom|scheduler)\/|vite\/preload-helper|apps\/web\/src\/(?:site|signs|format|parts|purse)\/|keys\/key(?:board|-names)/

/** With its setting, so that the setting is made before any chunk makes a schema. A first page does without both. */
const ZOD = /node_modules\/zod\/|site\/without-eval/

// The browser's part. The server's is compiled by the type checker like every other package's, and renders the same pages.
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  plugins: [compressed()],
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
        // Common modules are in one file: thirty small ones cost a distant reader a second for each six of them.
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
