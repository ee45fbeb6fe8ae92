import { expectAttacksToFail } from '../expect-attacks-to-fail.test-setup.ts'
import { reputationAttacks } from './attacks.ts'

expectAttacksToFail(reputationAttacks)
