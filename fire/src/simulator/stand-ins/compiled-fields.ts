import { compileInput as input, compileOutput as output } from '@farebox/protocol/fields/compile'
import { remember } from './remember.ts'

// Stands in for the compiling of schemas: those of the few declarations in all histories are compiled once.

/** As the real one, which is pure. */
export const compileInput: typeof input = remember(input)

/** As the real one, which is pure. */
export const compileOutput: typeof output = remember(output)
