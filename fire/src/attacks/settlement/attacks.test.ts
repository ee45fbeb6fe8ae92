import { expectAttacksToFail } from '../expect-attacks-to-fail.test-setup.ts'
import { settlementAttacks } from './attacks.ts'

expectAttacksToFail(settlementAttacks)
