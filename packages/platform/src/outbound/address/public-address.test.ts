import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressOwner, isAllowedAddress, isSameAddress } from './public-address.ts'

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '::ffff:8.8.8.8',
  '2606:4700:4700::1111',
  '2a00:1450::1',
]

const NOT_PUBLIC = [
  '0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 169.254.0.1 169.254.169.254',
  '172.16.0.0 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.255.255 198.18.0.0',
  '198.19.255.255 198.51.100.1 203.0.113.255 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16',
  ':: ::ffff:10.0.0.1 ::ffff:a9fe:a9fe ::ffff:0.0.0.0 ::10.0.0.1 ::8.8.8.8 ::808:808 ::ffff:0:8.8.8.8',
  '64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:808:808::1',
  '3fff::1 4000::1 5f00::1 fc00::1 fdff::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2606:4700::5efe:a00:1',
  '2606:4700::200:5efe:a00:1 localhost 1.2.3 ::1::1 1.2.3.4.5 0x7f.0.0.1',
].flatMap(line => line.split(' '))

const LOOPBACK = ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1']

describe('D37 public unicast addresses only', () => {
  test.each(PUBLIC)('%s is allowed', address => {
    expect(isAllowedAddress(address, false)).toBe(true)
  })

  test.each(NOT_PUBLIC)('"%s" is refused, in local mode too', address => {
    expect([isAllowedAddress(address, false), isAllowedAddress(address, true)]).toEqual([false, false])
  })

  test.each(['', ' 8.8.8.8', '8.8.8.8 '])('"%s" is not an address', address => {
    expect(isAllowedAddress(address, true)).toBe(false)
  })

  test.each(LOOPBACK)('%s is allowed in local mode only', address => {
    expect([isAllowedAddress(address, false), isAllowedAddress(address, true)]).toEqual([false, true])
  })

  test('no embedding of an IPv4 address in IPv6 allows an address that is refused by itself', () => {
    const byte = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), bytes => {
        const address = bytes.join('.')
        expect(isAllowedAddress(`::ffff:${address}`, false)).toBe(isAllowedAddress(address, false))
        expect(isAllowedAddress(`::${address}`, false)).toBe(false)
        expect(isAllowedAddress(`64:ff9b::${address}`, false)).toBe(false)
        expect(isAllowedAddress(`2606:4700::5efe:${address}`, false)).toBe(false)
      }),
    )
  })
})

test('SSRF-02 two spellings of one address are equal', () => {
  expect(isSameAddress('::ffff:8.8.8.8', '8.8.8.8')).toBe(true)
  expect(isSameAddress('2606:4700:0:0::1', '2606:4700::1')).toBe(true)
  expect(isSameAddress('8.8.8.8', '8.8.4.4')).toBe(false)
  expect(isSameAddress('8.8.8.8', '')).toBe(false)
})

test('SSRF-07 the owner of an address is an IPv4 address or a /64', () => {
  expect(addressOwner('::ffff:8.8.8.8')).toBe(addressOwner('8.8.8.8'))
  expect(addressOwner('2606:4700:0:1::1')).toBe(addressOwner('2606:4700:0:1:ffff::2'))
  expect(addressOwner('2606:4700:0:1::1')).not.toBe(addressOwner('2606:4700:0:2::1'))
})
