import { inDepth } from '#test/support/depth.ts'
import { expect, it } from 'vitest'
import { hasBrowser, onPageError } from '#test/support/browser.ts'
import { browseDev } from '#test/support/dev.ts'

const files = {
  'docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index'] } }),
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
  'index.mdx': `---
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

it.skipIf(!hasBrowser)(
  'runs what a page does by itself: handlers, functions for components, expressions of browsers',
  async () => {
    const { url, browser } = await browseDev(files)

    const still = await browser.newPage({ javaScriptEnabled: false })
    await still.goto(url)
    expect(await still.isDisabled('[id$="the-button"]')).toBe(true)
    expect(await still.innerText('#the-pick')).toBe('Pick 1 of 9\n\nWords of the page')

    const page = await browser.newPage()
    const errors: string[] = []
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    onPageError(page, (error) => errors.push(error.message))
    await page.goto(url)
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
    expect(errors).toEqual([])
  },
  120_000,
)

inDepth.skipIf(!hasBrowser)(
  'leads below the base of a site, as its pages do',
  async () => {
    const { url, browser } = await browseDev({
      'docs.json': JSON.stringify({ name: 'Docs', basePath: '/docs', navigation: { pages: ['index', 'other'] } }),
      'dot.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
      'other.mdx': 'Other.\n',
      'index.mdx': `export const Ways = () => {
  const [count, setCount] = useState(0)
  return (
    <p>
      <button id="more" onClick={() => setCount(count + 1)}>{count}</button>
      <a id="in" href="/other">Other</a> <a id="out" href="https://example.com/other">Out</a>
      {count > 0 && <a id="later" href="/other#x">Later</a>} <img id="picture" src="/dot.svg" srcSet="/dot.svg 1x, /dot.svg 2x" alt="dot" style={{ background: 'url(/dot.svg)' }} />
    </p>
  )
}

<Ways />

<Ways2 />

export const Ways2 = () => <Card title="Card" href="/other" onClick={() => 1}>Words</Card>
`,
    })
    const page = await browser.newPage()
    await page.goto(new URL('/docs', url).href)
    await page.click('#more:enabled')
    await page.waitForSelector('#later')
    const ways = await page.evaluate(() =>
      ['#in', '#out', '#later', '#picture', '.q-card a'].map((selector) => {
        const element = document.querySelector(selector)
        return element?.getAttribute('href') ?? element?.getAttribute('src')
      }),
    )
    const picture = page.locator('#picture')
    expect(await picture.getAttribute('srcset')).toBe('/docs/dot.svg 1x, /docs/dot.svg 2x')
    expect(await picture.getAttribute('style')).toContain('url("/docs/dot.svg")')
    expect(ways).toEqual(['/docs/other', 'https://example.com/other', '/docs/other#x', '/docs/dot.svg', '/docs/other'])
  },
  120_000,
)
