/** The dialog that asks for a recent proof of identity, together with the styles that no other screen needs. */
import '../../shared/styles/code-field.css'

export { ProofInPlace } from '../../shared/proof/in-place.tsx'
