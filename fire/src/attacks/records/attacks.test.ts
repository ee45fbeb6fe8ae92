import { expectAttacksToFail } from '../expect-attacks-to-fail.test-setup.ts'
import { recordsAttacks } from './attacks.ts'

expectAttacksToFail(recordsAttacks)
