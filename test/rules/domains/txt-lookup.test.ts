import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { NoAnswer, recordName, txtLookup } from '#domains/txt-lookup.ts'
import { startDns } from '#test/support/dns-stub.ts'

const place = recordName('docs.example.com')

test('the texts of a name are asked of the servers that are set, long ones whole', async () => {
  const { server } = await startDns((name) => (name === place ? ['one', 'x'.repeat(600)] : null))
  const lookup = txtLookup([server])
  expect((await lookup(place)).toSorted()).toEqual(['one', 'x'.repeat(600)])
})

test('a name that is not there, and one without texts, have none', async () => {
  const { server } = await startDns((name) => (name === place ? [] : null))
  const lookup = txtLookup([server])
  expect(await lookup(place)).toEqual([])
  expect(await lookup(recordName('other.example.com'))).toEqual([])
})

test('a server that cannot be reached says nothing', async () => {
  const unreachable = txtLookup(['127.0.0.1:1'])
  await expect(unreachable(place)).rejects.toThrow(NoAnswer)
})

test('a look-up that is cut off ends at once, without an answer', async () => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  const end = new AbortController()
  // It hears the question and says nothing.
  socket.once('message', () => end.abort())
  await expect(txtLookup([`127.0.0.1:${socket.address().port}`])(place, end.signal)).rejects.toThrow(NoAnswer)
})
