import { checkDeclaration as check } from '@farebox/protocol/declaration/check-declaration'
import { remember } from './remember.ts'

/** Stands in for the check of a declaration: every replica of every history has one of a few, and none changes. */
export const checkDeclaration: typeof check = remember(check)
