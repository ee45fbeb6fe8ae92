import { expect, test } from 'vitest'
import { isPublicAddress } from './read-endpoint.ts'

test.each(['93.184.216.34', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  'D37 %s can be reached by anybody',
  address => expect(isPublicAddress(address)).toBe(true),
)

const HIDDEN = `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.255.255
  192.0.0.8 192.168.1.1 198.18.0.1 203.0.113.9 224.0.0.1 255.255.255.255
  :: ::1 ::ffff:10.0.0.1 ::ffff:93.184.216.34 fe80::1 fc00::1 fd12::1 ff02::1 64:ff9b::a00:1
  2001:db8::1 2002:a00:1:: 3fff::1 agent.example`

test.each(HIDDEN.split(/\s+/))('D37 %s cannot', address => expect(isPublicAddress(address)).toBe(false))
