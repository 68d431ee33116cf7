import { expect, it } from 'vitest'
import { hasBrowser, onPageError } from '#test/support/browser.ts'
import { browseDev } from '#test/support/dev.ts'

const files = {
  'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index', 'plain'] } }),
  'css/style.css': '.far { background: url(../dot.svg) rgb(1, 2, 3) }\n',
  'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'script.js': 'window.own = document.querySelectorAll("h1").length\n',
  'plain.mdx': '# Plain\n\nWords.\n',
  'snippets/stepper.tsx': `import { useState, type ReactNode } from 'react'

export function Stepper({ by = 1, children }: { by?: number; children?: ReactNode }) {
  const [count, setCount] = useState<number>(10)
  return (
    <p>
      <button id="step-on" onClick={() => setCount(count + by)}>Step {count}</button>
      {count > 12 && children}
    </p>
  )
}
`,
  'index.mdx': `---
title: Parts
---

import { Stepper } from '/snippets/stepper.tsx'

export const Counter = ({ start = 0, children }) => {
  const [count, setCount] = useState(start)
  return (
    <div id="the-counter">
      <button onClick={() => setCount((now) => now + 1)}>Add one</button> <output>{count}</output>
      {children}
    </div>
  )
}

export const Broken = () => {
  const [thing] = useState(null)
  return <b onClick={() => 0}>{thing.name}</b>
}

<Counter start={3}>

**Words of the page**

</Counter>

<Broken />

<div className="far" style={{ height: '3000px' }}>Far.</div>

<Stepper by={2}><b>More than twelve</b></Stepper>
`,
}

it.skipIf(!hasBrowser)(
  'shows components with JavaScript at once, and runs them when they come into view',
  async () => {
    const { url, browser } = await browseDev(files)

    const still = await browser.newPage({ javaScriptEnabled: false })
    await still.goto(url)
    expect(await still.innerText('#the-counter')).toBe('Add one 3\n\nWords of the page')
    expect(await still.isDisabled('#the-counter button')).toBe(true)
    expect(await still.innerText('#step-on')).toBe('Step 10')

    const page = await browser.newPage()
    const [loaded, errors]: [string[], string[]] = [[], []]
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    onPageError(page, (error) => errors.push(error.message))
    await page.goto(url)
    const island = /^\/_quire\/islands\/[\da-f]{20}\.js$/
    expect(
      await page.evaluate(() => [
        getComputedStyle(document.querySelector('.far')!).backgroundColor,
        Reflect.get(window, 'own'),
      ]),
    ).toEqual(['rgb(1, 2, 3)', 1])
    expect(loaded).toContain('/dot.svg')
    await page.click('#the-counter button:enabled')
    await page.click('#the-counter button')
    expect(await page.innerText('#the-counter')).toBe('Add one 5\n\nWords of the page')
    expect(new Set(loaded.filter((path) => island.test(path))).size).toBe(1)

    // What throws says so in its place, and in the console alone.
    expect(await page.innerText('.q-island')).toBe('This part of the page does not work.')
    expect(errors).toEqual([expect.stringMatching(/TypeError|null/)])
    errors.length = 0

    expect(await page.isDisabled('#step-on')).toBe(true)
    await page.locator('#step-on').scrollIntoViewIfNeeded()
    await page.click('#step-on:enabled')
    expect(await page.innerText('p:has(#step-on)')).toBe('Step 12')
    await page.click('#step-on')
    expect(await page.innerText('p:has(#step-on)')).toBe('Step 14More than twelve')
    expect(new Set(loaded.filter((path) => island.test(path))).size).toBe(2)

    loaded.length = 0
    await page.goto(`${url}/plain`)
    await page.waitForLoadState('networkidle')
    expect(loaded.filter((path) => /island/.test(path))).toEqual([])
    expect(errors).toEqual([])
  },
  120_000,
)
