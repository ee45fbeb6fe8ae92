import '../../styles/flow-editor.css'
