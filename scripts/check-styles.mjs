// A class has one sheet. Its block there contains all its nested rules: parts, states, widths, and its effects on other
// components. Other sheets may name it only inside their own blocks. And every class is used by an element.

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { listFiles } from './list-files.mjs'
import { Explained } from './prepare.mjs'

const SHEETS = 'apps/web/src/styles/*.css'
const SOURCES = ['apps/web/src/*.ts', 'apps/web/src/*.tsx']
/** React Flow adds these to its elements. */
const REACT_FLOW = /^react-flow|^(?:dragging|connectionindicator|connectingfrom)$/

/**
 * Throws with each class that begins blocks in two sheets, and each unused class.
 *
 * @param {string} root
 * @returns {number} the number of classes
 */
export function checkStyles(root) {
  const isUsed = usedClasses(root)
  /** By class, the sheets that mention it, and those in which it begins a block. */
  const named = new Map()
  const homes = new Map()
  for (const file of listFiles(root, SHEETS)) {
    for (const { selector, depth } of selectors(readFileSync(join(root, file), 'utf8'))) {
      for (const [, name] of selector.matchAll(/\.([a-z][\w-]*)/g)) add(named, name, basename(file))
      if (depth === 0) for (const name of split(selector).flatMap(leading)) add(homes, name, basename(file))
    }
  }
  const faults = [
    ...[...homes]
      .filter(([, sheets]) => sheets.size > 1)
      .map(
        ([name, sheets]) => `.${name} begins blocks in ${[...sheets].join(' and ')}: one sheet is its home`,
      ),
    ...[...named]
      .filter(([name]) => !isUsed(name))
      .map(([name, sheets]) => `.${name} in ${[...sheets].join(' and ')}: no element has this class`),
  ]
  if (faults.length > 0) throw new Explained(faults.join('\n'))
  return named.size
}

/** Each selector with the number of rules around it; at-rules do not count. */
function selectors(sheet) {
  const found = []
  const open = []
  let text = ''
  for (const char of sheet.replaceAll(/\/\*[\s\S]*?\*\//g, '')) {
    if (char === '{') {
      const selector = text.trim()
      if (!selector.startsWith('@')) found.push({ selector, depth: open.filter(isRule => isRule).length })
      open.push(!selector.startsWith('@'))
      text = ''
    } else if (char === '}' || char === ';') {
      if (char === '}') open.pop()
      text = ''
    } else text += char
  }
  return found
}

/**
 * The class at the beginning of a selector; of `:is(…)`, that of each alternative. `body:has(.studio) .tabs` begins
 * with none.
 */
function leading(selector) {
  if (selector.startsWith(':is(')) return split(selector.slice(4)).flatMap(leading)
  const name = /^[a-z]*\.([\w-]+)/.exec(selector)?.[1]
  return name === undefined ? [] : [name]
}

/** A list of selectors split at its commas outside brackets, to its end or its closing bracket. */
function split(list) {
  const parts = ['']
  let depth = 0
  for (const char of list) {
    if (char === '(') depth += 1
    if (char === ')') depth -= 1
    if (depth < 0) break
    if (char === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts.map(part => part.trim())
}

/** Whether a string of the sources contains a class, or its beginning before a value: `lanes-${lanes}`. */
function usedClasses(root) {
  const words = new Set()
  const beginnings = new Set()
  for (const file of listFiles(root, ...SOURCES)) {
    for (const [, , string] of readFileSync(join(root, file), 'utf8').matchAll(/(["'`])(.*?)\1/g)) {
      for (const word of string.split(/[^\w-]+/)) words.add(word)
      for (const [, beginning] of string.matchAll(/([\w-]+-)\$\{/g)) beginnings.add(beginning)
    }
  }
  return name =>
    words.has(name) || REACT_FLOW.test(name) || [...beginnings].some(beginning => name.startsWith(beginning))
}

function add(map, key, value) {
  map.set(key, (map.get(key) ?? new Set()).add(value))
}
