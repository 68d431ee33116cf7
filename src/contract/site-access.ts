/** On the service’s own host: where members are let in to a private site. `?to=` is an address on the site. */
export const siteAccessPath = '/site-access'
