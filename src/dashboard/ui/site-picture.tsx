import { useEffect, useState } from 'react'
import css from './site-picture.module.css'

/** The live site as it looks on a desktop, made small. It comes last, and nothing in it can be reached. */
export function SitePicture({ url }: { readonly url: string }) {
  const [isCalm, setIsCalm] = useState(false)
  const [isLoaded, setIsLoaded] = useState(false)
  useEffect(() => {
    const look = (): void => setIsCalm(true)
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(look, 500)
      return () => clearTimeout(timer)
    }
    const idle = requestIdleCallback(look, { timeout: 4_000 })
    return () => cancelIdleCallback(idle)
  }, [])
  return (
    <div className={css['picture']} aria-hidden inert>
      {isCalm ? (
        <iframe
          src={url}
          // Until then a frame is white, in the dark, too.
          className={isLoaded ? css['loaded'] : undefined}
          onLoad={() => setIsLoaded(true)}
          title=""
          tabIndex={-1}
          loading="lazy"
          // As readers see it, on its own origin: it can neither leave the frame, open windows nor ask anything. Both words
          // together would let a page of this origin take its sandbox off; a site is another origin, which reaches nothing
          // of the page around it. Where sites are hosts below the dashboard’s, SameSite does not keep its cookie from
          // their requests: the service asks each change for its origin, and the cookie is of the dashboard’s host alone.
          sandbox="allow-scripts allow-same-origin"
          referrerPolicy="no-referrer"
          scrolling="no"
        />
      ) : null}
    </div>
  )
}
