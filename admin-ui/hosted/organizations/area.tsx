import { useState } from 'react'
import { useNavigate } from '../account/navigation.tsx'
import { RedirectContext } from './context.ts'
import { OrganizationNotFound } from './empty.tsx'
import { ListPage } from './list.tsx'
import { NewPage } from './new.tsx'
import { OrganizationPages } from './organization.tsx'
import { organizationRouteOf } from './routes.ts'
import '../more.css'

/** Shows the page for a path below `/account/organizations`. */
export const OrganizationsArea = ({ path }: { readonly path: string }) => {
  const navigate = useNavigate()
  const [sent, setSent] = useState({ path: '', text: '' })
  const route = organizationRouteOf(path)
  const notice = sent.path === path && sent.text !== '' ? sent.text : undefined
  const redirect = (to: string, text: string, mode?: 'replace') => {
    setSent({ path: to, text })
    navigate(to, mode)
  }
  return (
    <RedirectContext value={redirect}>
      {route === undefined ? <OrganizationNotFound /> : null}
      {route?.at === 'list' ? <ListPage notice={notice} /> : null}
      {route?.at === 'new' ? <NewPage /> : null}
      {route?.at === 'organization' ? <OrganizationPages key={route.slug} route={route} notice={notice} /> : null}
    </RedirectContext>
  )
}
