import type { Domain, DomainRecord } from '#contract/domains.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import css from './domains.module.css'

/** What is to be entered at the provider of the DNS, each part with a button that copies it. */
export function DomainRecords({ domain }: { readonly domain: Domain }) {
  return (
    <>
      <p>Enter these records at the provider of the DNS. They are seen within minutes, at some providers hours.</p>
      <ul className={css['records']} aria-label={`Records of ${domain.domain}`}>
        {domain.records.map((record) => (
          <li key={record.purpose}>
            <div className={css['state']}>
              <strong>{record.purpose === 'ownership' ? 'Ownership' : 'Traffic'}</strong>
              <RecordState domain={domain} record={record} />
            </div>
            <dl>
              <Part name="Type" value={record.type} />
              <Part name="Name" value={record.host} copied={`${record.type} name`} full={record.name} />
              <Part name="Value" value={record.value} copied={`${record.type} value`} />
            </dl>
            <p className="soft">{noteOf(domain, record)}</p>
          </li>
        ))}
      </ul>
      <p className="soft">
        A certificate for the domain is the matter of whoever runs the service: where the site does not open over HTTPS
        an hour after both records are there, ask them whether their proxy gets certificates for domains of projects.
      </p>
    </>
  )
}

/** While a domain is not verified, what was found in the place of its record; a verified one says so above. */
function noteOf({ verified, problem }: Domain, { purpose, note }: DomainRecord): string {
  return purpose === 'ownership' && !verified && problem !== undefined ? problem : note
}

/** Only the record that shows whose the domain is is looked for: where readers are led is seen by opening the site. */
function RecordState({ domain, record }: { readonly domain: Domain; readonly record: DomainRecord }) {
  if (record.purpose === 'traffic') return <span className="soft">Not checked: open the site to see</span>
  if (domain.missingSince !== undefined) return <Badge tone="danger">missing</Badge>
  if (domain.verified) return <Badge tone="success">found</Badge>
  if (domain.checkedAt === undefined) return <Badge>not looked for yet</Badge>
  return <Badge tone="warning">not found yet</Badge>
}

interface PartProps {
  readonly name: string
  readonly value: string
  /** What the button says that it copies; none without. */
  readonly copied?: string
  /** The value as providers want it that do not append the domain. */
  readonly full?: string
}

function Part({ name, value, copied, full }: PartProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span>
          <code>{value}</code>
          {copied === undefined ? null : <CopyButton text={value} label={`Copy ${copied}`} />}
        </span>
        {full === undefined || full === value ? null : <small className="soft">in full {full}</small>}
      </dd>
    </div>
  )
}
