import { expectAttacksToFail } from '../expect-attacks-to-fail.test-setup.ts'
import { nodesAttacks } from './attacks.ts'

expectAttacksToFail(nodesAttacks)
