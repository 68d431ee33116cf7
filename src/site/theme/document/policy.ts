import { createHash } from 'node:crypto'

/**
 * Runs before the first paint: a page never flashes in the wrong colours. It stands in the head, so nothing of the page
 * exists yet that could shadow `document.documentElement`. One constant for all sites: what differs is in attributes.
 */
export const headScript =
  "(()=>{const r=document.documentElement;r.classList.add('js');let t=r.getAttribute('data-appearance');" +
  "if(!r.hasAttribute('data-strict')){try{t=localStorage.getItem('q-theme')||t}catch{t=t||'system'}}" +
  "if(t!=='light'&&t!=='dark')t=matchMedia('(prefers-color-scheme:dark)').matches?'dark':'light';" +
  "r.setAttribute('data-theme',t)})()"

/**
 * Content-Security-Policy of a site's pages. The inline script and the site's colours are allowed by their hashes; style
 * attributes are allowed because content may carry them (checked by the sanitiser), style elements are not.
 */
export function contentSecurityPolicy(style: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' ${hash(headScript)}`,
    `style-src 'self'${style === '' ? '' : ` ${hash(style)}`}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' https: data:",
    "media-src 'self' https:",
    "font-src 'self' data:",
    "frame-src https: 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join('; ')
}

/** A CSP source for inline text (CSP Level 3, hash-source). */
function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
