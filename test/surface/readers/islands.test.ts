import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from '#test/support/browser.ts'
import { Reader, siteOf } from './reader.ts'

const files = {
  'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index', 'plain', 'live'] } }),
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
  'snippets/greet.mdx':
    '<button id="the-greeting" onClick={(event) => { event.currentTarget.title = who }}>Greet</button>\n',
  'snippets/pick.jsx': `export const Pick = ({ render, onPick, children }) => {
  const [count, setCount] = useState(1)
  const pick = () => {
    setCount(count + 1)
    onPick(count)
  }
  return <div id="the-pick"><button onClick={pick}>Pick</button> {render(count)} {children}</div>
}
`,
  'snippets/words.mdx': 'Words for {name}, **strong** ones.\n\n```js\nconst a = 1\n```\n',
  'snippets/prices.json': '[{ "plan": "Free", "price": 0 }, { "plan": "Team", "price": 20 }]\n',
  'snippets/plans.jsx': `import Words from './words.mdx'
import prices from './prices.json'

export const Plans = () => {
  const [open, setOpen] = useState(false)
  return (
    <div id="the-plans">
      <button onClick={() => setOpen(!open)}>{prices.map(({ plan }) => plan).join(', ')}</button>
      {open ? <Words name="all" /> : <Words name="nobody" />}
    </div>
  )
}
`,
  'live.mdx': `---
title: Parts
---

import { Pick } from '/snippets/pick.jsx'
import { Plans } from '/snippets/plans.jsx'
import Greet from '/snippets/greet.mdx'

export const note = (text) => document.documentElement.setAttribute('data-noted', text)

<button id="the-button" onClick={() => note('pressed')}>Press **here**</button>

<select id="the-list" onChange={(event) => note(event.target.value)}>
  <option value="a">One</option>
  <option value="b">Two</option>
</select>

{['x', 'y'].map((name) => <button key={name} id={'the-' + name} onClick={() => note(name)}>{name}</button>)}

It is the year <b id="the-year">{new Date().getFullYear()}</b>.

<Pick render={(count) => <i>{count} of 9</i>} onPick={(count) => note('picked ' + count)}>

**Words** of the page

</Pick>

<Greet who="Ada" />

<Plans />
`,
}

describe.skipIf(!hasBrowser)('a page with components that run', () => {
  const reader = new Reader()
  let url: string

  beforeAll(async () => {
    url = await siteOf(files)
  })
  afterEach(() => reader.complains())
  afterAll(() => reader.leaves())

  it('shows components with JavaScript at once, and runs them when they come into view', async () => {
    const still = await reader.opens(url, { javaScriptEnabled: false })
    expect(await still.innerText('#the-counter')).toBe('Add one 3\n\nWords of the page')
    expect(await still.isDisabled('#the-counter button')).toBe(true)
    expect(await still.innerText('#step-on')).toBe('Step 10')

    const page = await reader.opens('about:blank')
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
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
    expect(reader.problems).toEqual([expect.stringMatching(/TypeError|null/)])
    reader.problems.length = 0

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
  })

  it('runs what a page does by itself: handlers, functions for components, expressions of browsers', async () => {
    const still = await reader.opens(`${url}/live`, { javaScriptEnabled: false })
    expect(await still.isDisabled('[id$="the-button"]')).toBe(true)
    expect(await still.innerText('#the-pick')).toBe('Pick 1 of 9\n\nWords of the page')

    const page = await reader.opens(`${url}/live`)
    const noted = (): Promise<string | null> => page.getAttribute('html', 'data-noted')
    expect(await page.innerHTML('#the-button')).toContain('<strong>here</strong>')
    await page.click('#the-button:enabled')
    expect(await noted()).toBe('pressed')
    await page.selectOption('#the-list:enabled', 'b')
    expect(await noted()).toBe('b')
    await page.click('#the-y:enabled')
    expect(await noted()).toBe('y')
    await page.click('#the-pick button:enabled')
    expect(await noted()).toBe('picked 1')
    expect(await page.innerText('#the-pick')).toBe('Pick 2 of 9\n\nWords of the page')
    await page.locator('#the-greeting:enabled').scrollIntoViewIfNeeded()
    await page.click('#the-greeting')
    expect(await page.getAttribute('#the-greeting', 'title')).toBe('Ada')
    expect(await page.innerText('#the-plans p')).toBe('Words for nobody, strong ones.')
    await page.click('#the-plans button:enabled')
    expect(await page.innerText('#the-plans p')).toBe('Words for all, strong ones.')
    expect(await page.innerText('#the-plans')).toContain('Free, Team')
    expect(await page.innerHTML('#the-plans .q-code code')).toContain('<span')
    expect(await page.innerText('#the-year')).toBe(String(new Date().getFullYear()))
  })
})
