import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { ownFrames, relativePlace } from './own-frames.ts'

const FOLDER = resolve('/home/ada/shout')
const url = (path: string): string => pathToFileURL(join(FOLDER, path)).href

test('only stack lines in the author’s files are shown, relative to the current folder', () => {
  const stack = [
    'TypeError: no such city',
    '    at look (at nothing)',
    `    at Object.translate (${join(FOLDER, 'src/handlers.ts')}:12:9)`,
    `    at async Module.default (${url('handlers.mjs')}?namespace=17:3:1)`,
    `    at Cities.find (${url('src/cities.ts')}:2:5)`,
    `    at ${url('src/cities.ts')}:40:2`,
    `    at Pool.query (${join(FOLDER, 'node_modules/pg/lib/pool.js')}:1:1)`,
    `    at callHandler (${join(import.meta.dirname, 'execute/run-handler.ts')}:111:12)`,
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    '    at Object.<anonymous> (data:text/javascript,throw%201:2:933)',
    '    at JSON.parse (<anonymous>)',
    '    at <anonymous>',
  ].join('\n')
  expect(ownFrames(stack, FOLDER)).toEqual([
    { place: join('src', 'handlers.ts') + ':12:9', caller: 'translate' },
    { place: 'handlers.mjs:3:1', caller: undefined },
    { place: join('src', 'cities.ts') + ':2:5', caller: 'Cities.find' },
    { place: join('src', 'cities.ts') + ':40:2', caller: undefined },
  ])
})

test('a file far from the folder has its absolute path, one beside the folder a relative path', () => {
  expect(relativePlace(resolve('/home/ada/lib/words.ts'), FOLDER)).toBe(join('..', 'lib', 'words.ts'))
  expect(relativePlace(resolve('/srv/words.ts'), FOLDER)).toBe(resolve('/srv/words.ts'))
})
