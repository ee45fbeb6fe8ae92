import { expectAttacksToFail } from '../expect-attacks-to-fail.test-setup.ts'
import { checkingAttacks } from './attacks.ts'

expectAttacksToFail(checkingAttacks)
