import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCompileFolder } from '../testing/compile-folder.ts'
import { hostileDeclaration, MARKER } from '../testing/hostile-declarations.ts'
import { typesOf } from './types-of.ts'

const accepted = hostileDeclaration.filter(declaration => checkDeclaration(declaration).ok)

/** Splits a text into tokens as TypeScript tools do. */
const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|\/\/[^\n\r\u2028\u2029]*|'(?:[^'\\\n\r\u2028\u2029]|\\[^\n\r\u2028\u2029])*'/g

/** The allowed code between them. */
const CODE = /^[\w$\s{}[\]()<>:;,|?.=+\-\u00C0-\uD7A3]*$/

test('an untrusted declaration stays in comments and quotes', () => {
  fc.assert(
    fc.property(accepted, declaration => {
      const code = typesOf(declaration).replaceAll(COMMENT_OR_STRING, '')
      expect(code).not.toContain(MARKER)
      expect(code).toMatch(CODE)
      // In a comment an @ would begin a tag, or disable a compiler check.
      expect(typesOf(declaration)).not.toMatch(/^\s*(?:\/\*\*|\*) @/m)
      const names = Object.keys(declaration.capabilities)
      const exported = [...code.matchAll(/^export type \S+ = /gm)].length
      expect(exported).toBe(2 * names.length + (names.length === 1 ? 2 : 1))
    }),
    { numRuns: 300 },
  )
})

test('the compiler accepts the types of a hostile declaration', async () => {
  const folder = await createCompileFolder()
  const declarations = fc.sample(accepted, { seed: 3, numRuns: 200 })
  await Promise.all(declarations.map((one, index) => folder.write(`types-${index}.d.ts`, typesOf(one))))
  await folder.write('broken.d.ts', 'export type Broken = {')
  const errors = await folder.compile()
  await folder.remove()
  expect(errors).toMatchObject([{ file: 'broken.d.ts', line: 1 }])
})
