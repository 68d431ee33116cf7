import { expect, it } from 'vitest'
import { parseUrl } from '#lib/parse-url.ts'

it('a host with letters that are not ASCII is one however often it is asked for', () => {
  const hosts = new Set<string | undefined>()
  for (let times = 0; times < 20_000; times++) {
    hosts.add(parseUrl('https://bücher.example/a')?.hostname)
    hosts.add(parseUrl('//bücher.example/a', 'https://site.example')?.hostname)
  }
  expect([...hosts]).toEqual(['xn--bcher-kva.example'])
})

it('what is no URL is none', () => {
  expect([parseUrl('a/b'), parseUrl('https://'), parseUrl('//[', 'https://site.example')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
