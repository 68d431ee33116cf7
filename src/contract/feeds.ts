import { SlugParams } from './common.ts'
import { endpoint } from './endpoint.ts'

const description =
  'The 50 newest published entries with their whole content, for everybody; where that is more than 4 MB in all, older ' +
  'entries come with their excerpt only. Kept for 5 minutes; answers 304 to a ' +
  'reader that has it already. An entry’s id never changes.'

/** The changelog for feed readers. */
export const feeds = {
  rss: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/changelog/rss',
    summary: 'The changelog as RSS 2.0',
    description,
    access: 'public',
    params: SlugParams,
    media: 'application/rss+xml',
    status: 200,
  }),
  atom: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/changelog/atom',
    summary: 'The changelog as Atom',
    description,
    access: 'public',
    params: SlugParams,
    media: 'application/atom+xml',
    status: 200,
  }),
  json: endpoint({
    method: 'GET',
    path: '/api/projects/:slug/changelog/feed.json',
    summary: 'The changelog as JSON Feed 1.1',
    description,
    access: 'public',
    params: SlugParams,
    media: 'application/feed+json',
    status: 200,
  }),
}
