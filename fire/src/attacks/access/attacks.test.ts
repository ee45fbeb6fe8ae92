import { expectAttacksToFail } from '../expect-attacks-to-fail.test-setup.ts'
import { accessAttacks } from './attacks.ts'

expectAttacksToFail(accessAttacks)
