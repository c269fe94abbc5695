import { Link, useLocation } from 'react-router'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import type { Group } from '../groups.ts'
import { visibleGroups } from '../groups.ts'

const isInside = (path: string, place: string) => path === place || path.startsWith(`${place}/`)

/** The screen that an address belongs to. If the paths of several screens match, it is the one with the longest path. */
const currentOf = (path: string, { screens }: Group) =>
  screens.filter((screen) => isInside(path, screen.path)).toSorted((a, b) => b.path.length - a.path.length)[0]

const GroupLinks = ({ group, path }: { readonly group: Group; readonly path: string }) => {
  const { t } = useI18n()
  const current = currentOf(path, group)
  const isCurrent = current !== undefined
  const [first] = group.screens
  if (first === undefined) return null
  return (
    <li>
      <Link className={isCurrent ? 'side-group side-current' : 'side-group'} to={first.path} aria-current={isCurrent}>
        <Icon name={group.icon} size={18} />
        {t(group.label)}
      </Link>
      {isCurrent && group.screens.length > 1 ? (
        <ul className="side-screens">
          {group.screens.map((screen) => (
            <li key={screen.path}>
              <Link className="side-screen" to={screen.path} aria-current={screen === current ? 'page' : undefined}>
                {t(screen.label)}
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  )
}

/** The navigation: all groups with a screen that the person may read. Below the current group, its screens are listed. */
export const Sidebar = () => {
  const { t } = useI18n()
  const { access } = useConsole()
  const { pathname } = useLocation()
  return (
    <nav aria-label={t('console.navigation')}>
      <ul className="side-groups">
        {visibleGroups(access.permissions).map((group) => (
          <GroupLinks key={group.id} group={group} path={pathname} />
        ))}
      </ul>
    </nav>
  )
}
