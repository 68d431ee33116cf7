import { Rss } from 'lucide-react'
import { feedsOf } from '../../queries/changelog.ts'
import { CopyButton } from '../../ui/copy.tsx'
import css from './changelog.module.css'

/** Where feed readers find what is published. */
export function Feeds({ slug }: { readonly slug: string }) {
  return (
    <div className={css['feeds']}>
      <Rss aria-hidden />
      <span>Feeds for readers</span>
      <ul aria-label="Feeds">
        {feedsOf(slug).map(([name, url]) => (
          <li key={name}>
            <a className="link" href={url}>
              {name}
            </a>
            <CopyButton text={url} label={`Copy the address of the ${name} feed`} />
          </li>
        ))}
      </ul>
    </div>
  )
}
