import { expectAttacksToFail } from '../expect-attacks-to-fail.test-setup.ts'
import { repeatsAttacks } from './attacks.ts'

expectAttacksToFail(repeatsAttacks)
