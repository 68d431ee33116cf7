import { CircleCheck, CircleDashed, CircleX, LoaderCircle } from 'lucide-react'
import { deployStages, type Deploy, type DeployStage } from '#contract/deploys.ts'
import { isUnderWay } from '../../queries/branches.ts'
import { type DeployProgress } from '../../queries/deploys.ts'
import { classes } from '../../ui/classes.ts'
import { count, durationWords } from '../../ui/words.ts'
import { stageWords } from './deploy-words.ts'
import css from './deploys.module.css'

type StageState = 'done' | 'running' | 'failed' | 'waiting'

const icons = { done: CircleCheck, running: LoaderCircle, failed: CircleX, waiting: CircleDashed } as const
const spoken = { done: 'done', running: 'under way', failed: 'failed', waiting: 'not begun' } as const

/** The way of a deploy to the readers, stage by stage. */
export function Stages({ deploy, progress }: { readonly deploy: Deploy; readonly progress: DeployProgress }) {
  const shown = deployStages.filter((stage) => isPart(deploy, stage))
  const longest = Math.max(1, ...Object.values(deploy.stages))
  return (
    <ol className={css['stages']} aria-label="Stages">
      {shown.map((stage) => {
        const state = stateOf(stage, deploy, progress)
        const Icon = icons[state]
        const took = deploy.stages[stage]
        return (
          <li key={stage} className={css[state]} aria-current={state === 'running' ? 'step' : undefined}>
            <Icon aria-hidden className={classes(state === 'running' && 'spinning')} />
            <div>
              <span>
                {stageWords[stage][state === 'done' ? 1 : 0]}
                <span className="visually-hidden">: {spoken[state]}</span>
              </span>
              {stage === 'build' ? <Pages deploy={deploy} progress={progress} state={state} /> : null}
              {took === undefined || state !== 'done' ? null : (
                <span className={css['bar']} aria-hidden>
                  <span style={{ width: `${Math.max(1, (took / longest) * 100)}%` }} />
                </span>
              )}
            </div>
            {took === undefined ? null : <span className={css['took']}>{durationWords(took)}</span>}
          </li>
        )
      })}
    </ol>
  )
}

/** A rollback builds nothing; of what failed only the stages are shown that it came to. */
function isPart(deploy: Deploy, stage: DeployStage): boolean {
  return deploy.kind !== 'rollback' || isUnderWay(deploy) || deploy.stages[stage] !== undefined
}

function stateOf(stage: DeployStage, deploy: Deploy, progress: DeployProgress): StageState {
  const reached = deployStages.findLast((name) => deploy.stages[name] !== undefined)
  if (!isUnderWay(deploy)) {
    if (deploy.status !== 'failed') return 'done'
    if (stage === reached) return 'failed'
    return deploy.stages[stage] === undefined ? 'waiting' : 'done'
  }
  const current = progress.stage ?? reached ?? 'receive'
  if (stage === current) return 'running'
  return deployStages.indexOf(stage) < deployStages.indexOf(current) ? 'done' : 'waiting'
}

function Pages({
  deploy,
  progress,
  state,
}: {
  readonly deploy: Deploy
  readonly progress: DeployProgress
  readonly state: StageState
}) {
  const { pages } = progress
  if (state === 'running' && pages !== undefined) {
    return (
      <>
        <span className={css['detail']}>
          {pages.done.toLocaleString()} of {count(pages.total, 'page')}
        </span>
        <progress
          className={css['progress']}
          aria-label="Pages built"
          max={Math.max(1, pages.total)}
          value={pages.done}
        />
      </>
    )
  }
  const { total, built, reused } = deploy.pages
  if (state !== 'done' || total === 0 || isUnderWay(deploy)) return null
  return (
    <span className={css['detail']}>
      {built.toLocaleString()} built, {reused.toLocaleString()} unchanged
    </span>
  )
}
