import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

// From the build, because another process loads it.
const MODULE = new URL('../../dist/program/open-pages.js', import.meta.url)

/** Prints which files of React's server part are loaded once the pages are open. */
const PROGRAM = `
  import { createRequire } from 'node:module'
  import { openPages } from '${MODULE}'
  const pages = await openPages({ publicUrl: 'http://localhost:4000', localMode: true })
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter(file => /react-dom-server-legacy/.test(file))
  console.log(loaded.map(file => file.split('.').at(-2)).join(), pages.isPage('/'))`

async function loadedBy(environment: { readonly [name: string]: string }): Promise<string> {
  const node = ['--input-type=module', '--eval', PROGRAM]
  const { stdout } = await promisify(execFile)(process.execPath, node, {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  })
  return stdout.trim()
}

test('pages use the production build of React, unless NODE_ENV says otherwise', async () => {
  expect(await loadedBy({})).toBe('production true')
  expect(await loadedBy({ NODE_ENV: 'development' })).toBe('development true')
})
