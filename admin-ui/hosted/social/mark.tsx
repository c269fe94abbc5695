import { use } from 'react'
import { useHosted } from '../context.tsx'
import { gate } from './gate.ts'

/** The mark of a provider, in its own colours or in the colour of the text beside it. Unknown providers have a plain gate. */
export const ProviderMark = ({ id, size = 18 }: { readonly id: string; readonly size?: number }) => {
  const marks = use(useHosted().resources.marks())
  const known = Object.hasOwn(marks, id) ? marks[id] : undefined
  return (
    <svg className="provider-mark" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {(known ?? gate).map(([color, path]) => (
        <path key={color} fill={color} d={path} />
      ))}
    </svg>
  )
}
