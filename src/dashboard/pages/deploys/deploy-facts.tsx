import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { Deploy } from '#contract/deploys.ts'
import { paths } from '../../paths.ts'
import { isUnderWay } from '../../queries/branches.ts'
import { deployQuery } from '../../queries/deploys.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Facts } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { count, durationWords } from '../../ui/words.ts'
import { kindOf, makerOf } from './deploy-words.ts'
import css from './deploys.module.css'

/** What is on record of a deploy. */
export function DeployFacts({ deploy, slug }: { readonly deploy: Deploy; readonly slug: string }) {
  const { branch, rollbackOf, pages, commit, mergeCommit, tree, url } = deploy
  const maker = makerOf(deploy)
  const fact = (name: string, value: string | undefined, label: string) =>
    value === undefined ? null : ([name, <Oid key={name} oid={value} label={label} />] as const)
  return (
    <Facts
      items={[
        ['Kind', kindOf(deploy)],
        maker === undefined ? null : ['By', maker],
        branch === undefined ? null : ['Branch', branch],
        rollbackOf === undefined ? null : ['Serves again', <Earlier key="rollback" slug={slug} id={rollbackOf} />],
        ['Began', <Time key="began" at={deploy.createdAt} />],
        deploy.durationMs === undefined ? null : ['Took', durationWords(deploy.durationMs)],
        pages.total === 0 || isUnderWay(deploy) ? null : ['Site', count(pages.total, 'page')],
        [
          'Address',
          <a key="address" className="link" href={url} target="_blank" rel="noreferrer">
            {new URL(url).host}
          </a>,
        ],
        fact('Commit', commit, 'id of the commit'),
        fact('Merge', mergeCommit, 'id of the merge'),
        fact('Tree', tree, 'id of the tree'),
      ]}
    />
  )
}

function Earlier({ slug, id }: { readonly slug: string; readonly id: string }) {
  const { data } = useQuery(deployQuery(slug, id))
  return (
    <Link className="link" to={paths.deploy(slug, id)}>
      {data === undefined ? 'an earlier deploy' : `Deploy ${data.number}`}
    </Link>
  )
}

function Oid({ oid, label }: { readonly oid: string; readonly label: string }) {
  return (
    <span className={css['commit']}>
      <code title={oid}>{oid.slice(0, 10)}</code>
      <CopyButton text={oid} label={`Copy the ${label}`} />
    </span>
  )
}
