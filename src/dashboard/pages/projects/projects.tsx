import { useInfiniteQuery } from '@tanstack/react-query'
import { BookOpenText, Plus, SearchX } from 'lucide-react'
import type { Project } from '#contract/projects.ts'
import { paths } from '../../paths.ts'
import { projectsQuery } from '../../queries/projects.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { TextField } from '../../ui/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { More, useFurther } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { useSearchParam } from '../../ui/search-params.ts'
import { ReceivedInvitations } from '../account/received-invitations.tsx'
import { ProjectCard } from './project-card.tsx'
import css from './projects.module.css'

/** With fewer, all are seen at once. */
const leastToSearch = 7

/** `/dashboard`: all projects of whoever is signed in. `?q=` shows those with these words in title or slug. */
export function Component() {
  const projects = useInfiniteQuery(projectsQuery)
  const [words = '', setWords] = useSearchParam('q')
  // What is searched for may be on a page that is not here yet.
  useFurther(projects, words !== '')

  return (
    <Page
      title="Projects"
      actions={
        projects.data?.length === 0 ? undefined : (
          <LinkButton look="primary" icon={Plus} to={paths.newProject}>
            New project
          </LinkButton>
        )
      }
    >
      <ReceivedInvitations />
      <Loaded query={projects}>
        {(items) => {
          if (items.length === 0) return <NoProjects />
          const shown = items.filter((project) => matches(project, words))
          return (
            <>
              {items.length < leastToSearch && words === '' ? null : (
                <div className={css['search']} role="search">
                  <TextField
                    name="q"
                    label="Find a project"
                    type="search"
                    autoComplete="off"
                    value={words}
                    onChange={({ target }) => setWords(target.value, { replace: true })}
                  />
                </div>
              )}
              <ul className={css['cards']} aria-label="Projects">
                {shown.map((project) => (
                  <ProjectCard key={project.slug} project={project} />
                ))}
              </ul>
              {shown.length === 0 && !projects.hasNextPage ? (
                <Empty
                  icon={SearchX}
                  title="No project has these words"
                  action={<Button onClick={() => setWords(undefined, { replace: true })}>Show all projects</Button>}
                >
                  Titles and addresses were looked through for “{words}”.
                </Empty>
              ) : null}
              {words === '' ? <More query={projects} /> : null}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

function matches({ title, slug }: Project, words: string): boolean {
  const text = `${title} ${slug}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function NoProjects() {
  return (
    <Empty
      icon={BookOpenText}
      title="Your first documentation site"
      action={
        <LinkButton look="primary" icon={Plus} to={paths.newProject}>
          Create a project
        </LinkButton>
      }
    >
      A project is one site with its Git repository. Give it a name, start from a sample or send a folder of Markdown,
      and it is live at an address of its own in a minute. To work on a project of somebody else, have its owner invite
      you.
    </Empty>
  )
}
