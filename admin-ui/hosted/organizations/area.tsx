import { useState } from 'react'
import { useGo } from '../account/places.tsx'
import { LeadContext } from './here.ts'
import { ListPage } from './list.tsx'
import { NewPage } from './new.tsx'
import { NoPlace } from './nothing.tsx'
import { Place } from './place.tsx'
import { spotOf } from './spots.ts'

/** The pages below `/account/organizations`. */
export const OrganizationsArea = ({ path }: { readonly path: string }) => {
  const go = useGo()
  const [said, setSaid] = useState({ path: '', text: '' })
  const spot = spotOf(path)
  const greeting = said.path === path && said.text !== '' ? said.text : undefined
  const lead = (to: string, text: string, how?: 'replace') => {
    setSaid({ path: to, text })
    go(to, how)
  }
  return (
    <LeadContext value={lead}>
      {spot === undefined ? <NoPlace /> : null}
      {spot?.at === 'list' ? <ListPage greeting={greeting} /> : null}
      {spot?.at === 'new' ? <NewPage /> : null}
      {spot?.at === 'organization' ? <Place key={spot.slug} spot={spot} greeting={greeting} /> : null}
    </LeadContext>
  )
}
